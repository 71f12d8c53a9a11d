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

/**
 * Starts a timer of `ms` milliseconds (at most 2^31 - 1) and returns the function that cancels it. After a pause of the whole
 * process, timers fire before sockets are read. The timer lets the event loop read them first, so what arrived in time counts.
 */
export function startTimer(ms: number, onElapsed: () => void): () => void {
  let canceled = false;
  const timer = setTimeout(() => {
    setImmediate(() => setImmediate(() => !canceled && onElapsed()));
  }, ms);
  return () => {
    canceled = true;
    clearTimeout(timer);
  };
}
