const firstMs = 100;
const longestMs = 10_000;
const healthyMs = 10_000;

/** How long to wait before the next start (milliseconds): at once after a good run, twice as long after each short one. */
export function restartDelay(previousMs: number, uptimeMs: number): number {
  if (uptimeMs >= healthyMs || previousMs === 0) return firstMs;
  return Math.min(previousMs * 2, longestMs);
}
