import type { ProviderFailure } from './failure-traits.js';

/** More about a failed call. */
export interface ProviderErrorOptions {
  /** For `rate-limit` and `quota`: how long the provider wants to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** The provider's own id of the request, for its support. */
  readonly upstreamId?: string | null | undefined;
  readonly cause?: unknown;
}

/** A call to a provider failed. The message is for the log: it may name the upstream's words, never a key. */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;
  readonly retryAfterMs: number | undefined;
  readonly upstreamId: string | null;

  constructor(failure: ProviderFailure, message: string, options: ProviderErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProviderError';
    this.failure = failure;
    this.retryAfterMs = options.retryAfterMs;
    this.upstreamId = options.upstreamId ?? null;
  }
}
