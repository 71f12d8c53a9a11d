import type { ErrorCode } from './error-codes.js';

/** Body of every response: either `data` or `error` is null. */
export type Envelope<T> =
  | { readonly data: T; readonly error: null }
  | { readonly data: null; readonly error: { readonly code: ErrorCode; readonly message: string } };

/** Wraps a payload as a successful answer. */
export function ok<T>(data: T): Envelope<T> {
  return { data, error: null };
}

/** Wraps a code and a message as an error answer. */
export function failure(code: ErrorCode, message: string): Envelope<never> {
  return { data: null, error: { code, message } };
}
