const FIRST_MS = 100;
const MAX_MS = 10_000;
const HEALTHY_MS = 10_000;

/** Returns the wait before the next start (milliseconds): short after a good run, twice as long after each short run. */
export function getRestartDelay(previousMs: number, uptimeMs: number): number {
  if (uptimeMs >= HEALTHY_MS || previousMs === 0) {
    return FIRST_MS;
  }
  return Math.min(previousMs * 2, MAX_MS);
}
