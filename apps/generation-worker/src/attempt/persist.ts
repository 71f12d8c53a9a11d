import { AppError } from '@image-gateway/shared/errors';
import { pause } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import { orAbort } from './or-abort.js';

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;

/**
 * Does something against our own database or storage until it is done: what was paid for is not thrown away because one
 * of them is away for a moment. Throws at once what can't succeed by repetition, and the signal's reason when it is aborted.
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
      if (!(error instanceof AppError && error.retryable)) throw error;
      log.warn('own trouble, trying again', { error, pauseMs });
      await pause(pauseMs, signal);
    }
  }
}
