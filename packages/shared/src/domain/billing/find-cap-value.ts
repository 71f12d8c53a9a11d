import type { Metadata } from '../contract/index.js';
import { AppError } from '../errors/index.js';

/** Value of an entry of metadata that a daily cap is for. */
export interface CapValue {
  /** Key of the entry. */
  readonly key: string;
  /** Keyed hash of the value, in hexadecimal. */
  readonly hash: string;
}

/** Hashes a value of an account with a key that only the API has; hexadecimal. */
export type HashValue = (accountId: string, key: string, value: string) => string;

/** Request of a key that may have a cap by value. */
export interface ValuedRequest {
  readonly accountId: string;
  /** Key of metadata whose values have caps of their own; null or absent: there is no such cap. */
  readonly capPerKey?: string | null;
  readonly request: { readonly metadata?: Metadata };
}

/**
 * Finds the value whose cap a request counts for; null without such a cap. Throws AppError `VALIDATION_ERROR` for a request
 * without a value.
 */
export function findCapValue(
  { hashValue }: { readonly hashValue: HashValue },
  { accountId, capPerKey: key = null, request: { metadata = {} } }: ValuedRequest,
): CapValue | null {
  if (key === null) {
    return null;
  }
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  if (value === undefined) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `metadata.${key} must be given: this key has a daily cap for each of its values (cap_day_per).`,
    });
  }
  return { key, hash: hashValue(accountId, key, value) };
}
