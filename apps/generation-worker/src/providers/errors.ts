import { REASONS } from '@image-gateway/shared/contract';
import type { CallOutcome } from '@image-gateway/shared/db';

/**
 * What can go wrong upstream: `moderation` and `refused-input` are final · `overloaded` 5xx, refused connections, an answer
 * that says time-out · `rate-limited` no call at all · `auth` a refused key · `quota` used up or billing locked · `gone` the
 * model has vanished · `unsupported` the provider takes no such request · `unknown-outcome` may have been billed ·
 * `unusable` a good answer without a usable image · `broken` an answer that makes no sense.
 */
export type ProviderFailure =
  | 'moderation'
  | 'refused-input'
  | 'overloaded'
  | 'rate-limited'
  | 'auth'
  | 'quota'
  | 'gone'
  | 'unsupported'
  | 'unknown-outcome'
  | 'unusable'
  | 'broken';

/** What follows from a failure. */
export interface FailureTraits {
  /** How the call is written down. */
  readonly state: CallOutcome['state'];
  /** Nobody else is asked and the task ends. */
  readonly final: boolean;
  /** When the same provider may be asked for the same image again, within the ceilings. */
  readonly sameProvider: 'at-once' | 'next-attempt' | 'never';
  /** What is left alone for the rest of the task. */
  readonly drops: 'nothing' | 'key' | 'model';
  /** Whether it says something about the provider's health. */
  readonly countsForCircuit: boolean;
  /** What the customer reads when the task fails because of it. */
  readonly reason: string;
}

const failed: FailureTraits = {
  state: 'failed',
  final: false,
  sameProvider: 'next-attempt',
  drops: 'nothing',
  countsForCircuit: true,
  reason: REASONS.upstream,
};
const refused: FailureTraits = {
  ...failed,
  state: 'refused',
  final: true,
  sameProvider: 'never',
  countsForCircuit: false,
};
const dropped: FailureTraits = { ...failed, sameProvider: 'never', countsForCircuit: false };

/** The one table of what follows from which failure; what may be asked when is worked out from it and from the ceilings. */
export const FAILURE_TRAITS: Readonly<Record<ProviderFailure, FailureTraits>> = {
  moderation: { ...refused, reason: REASONS.moderation },
  'refused-input': { ...refused, reason: REASONS.refusedInput },
  overloaded: failed,
  'rate-limited': { ...failed, state: 'rate_limited', countsForCircuit: false },
  auth: { ...dropped, drops: 'key' },
  quota: { ...dropped, drops: 'key' },
  gone: { ...dropped, drops: 'model' },
  unsupported: { ...dropped, drops: 'model' },
  'unknown-outcome': { ...failed, state: 'unknown' },
  unusable: { ...failed, state: 'unusable', sameProvider: 'at-once', countsForCircuit: false },
  broken: failed,
};

/** A call to a provider failed. The message is for the log: it may name the upstream's words, never a key. */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;
  /** For `rate-limited`: how long the provider wants to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    failure: ProviderFailure,
    message: string,
    options: { readonly retryAfterMs?: number; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProviderError';
    this.failure = failure;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The traits of a failure as `provider_calls.detail` names it; null for anything that is no failure of the table. */
export function traitsOf(detail: string | null): FailureTraits | null {
  if (detail === null || !Object.hasOwn(FAILURE_TRAITS, detail)) return null;
  return FAILURE_TRAITS[detail as ProviderFailure];
}
