import type { ErrorCode } from './error-codes.js';

/** Numbers of a refusal for money, in dollars, and where there is more. */
export interface RefusalDetails {
  /** Cost of the request, or the least that it can cost. */
  readonly needed: string;
  /** The cap that it would exceed. */
  readonly limit?: string;
  /** Spent or reserved of that cap. */
  readonly used?: string;
  /** Left to the account; only for those who may read it. */
  readonly available?: string;
  /** Page where the account is topped up. */
  readonly top_up_url?: string;
}

/** Error of a response. */
export interface ErrorBody {
  readonly code: ErrorCode;
  readonly message: string;
  /** Only with `INSUFFICIENT_BALANCE`. */
  readonly details?: RefusalDetails;
}

/** Body of every response: either `data` or `error` is null. */
export type Envelope<T> =
  | { readonly data: T; readonly error: null }
  | { readonly data: null; readonly error: ErrorBody };

/** Wraps a payload as a successful answer. */
export function ok<T>(data: T): Envelope<T> {
  return { data, error: null };
}

/** Wraps a code, a message and what is known beside them as an error answer. */
export function failure(code: ErrorCode, message: string, details?: RefusalDetails): Envelope<never> {
  return { data: null, error: { code, message, ...(details && { details }) } };
}
