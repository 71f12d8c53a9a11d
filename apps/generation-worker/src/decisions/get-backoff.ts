const SPREAD = 0.2;

/** Returns the wait after the `tries`-th failed try (from 0) in milliseconds: the schedule's seconds ±20 %, the last one repeated. */
export function getBackoffMs(schedule: readonly number[], tries: number, random: () => number): number {
  const seconds = schedule[Math.min(tries, schedule.length - 1)] ?? 0;
  return Math.round(seconds * 1_000 * (1 - SPREAD + 2 * SPREAD * random()));
}
