import { startTimer } from './start-timer.js';

/** Result of `withTimeout` when the time has passed. */
export const TIMED_OUT: unique symbol = Symbol('timed out');

/**
 * Returns the value of a promise, or `TIMED_OUT` after `ms` milliseconds (at most 2^31 - 1). Throws what the promise rejects
 * with in time; a later rejection is dropped. A result that arrived while the process was stopped or busy still counts.
 */
export async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T | typeof TIMED_OUT> {
  let cancel = (): void => undefined;
  const elapsed = new Promise<typeof TIMED_OUT>((resolve) => {
    cancel = startTimer(ms, () => resolve(TIMED_OUT));
  });
  try {
    return await Promise.race([promise, elapsed]);
  } finally {
    cancel();
  }
}
