import { AppError } from '@image-gateway/shared/errors';
import { pause } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;

/**
 * Retries an action against our own database or object store until it succeeds: an outage must not discard what was paid
 * for. Throws errors that are not retryable at once, and the signal's reason when it is aborted.
 */
export async function persist<T>(
  action: () => Promise<T>,
  { log, signal = new AbortController().signal }: { readonly log: Logger; readonly signal?: AbortSignal },
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    signal.throwIfAborted();
    try {
      return await orAbort(action(), signal);
    } catch (error) {
      if (!(error instanceof AppError && error.retryable)) {
        throw error;
      }
      log.warn('internal error, trying again', { error, pauseMs });
      await pause(pauseMs, signal);
    }
  }
}

/** Waits for a promise, but no longer than until the signal is aborted. Throws the signal's reason then and ignores the promise. */
export async function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) {
      onAbort();
    } else {
      signal.addEventListener('abort', onAbort, { once: true });
    }
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
