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
