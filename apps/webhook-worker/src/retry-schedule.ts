const JITTER = 0.2;
const LONGEST_WAIT_SECONDS = 24 * 60 * 60;
const SHORTEST_WISH_SECONDS = 1;

/** What decides when a failed delivery is tried again. */
export interface RetryQuestion {
  /** Seconds before the second, third, … attempt. */
  readonly schedule: readonly number[];
  /** The attempt that just failed, from 1. */
  readonly attempt: number;
  /** What the receiver asked for with `Retry-After`, or null. */
  readonly retryAfterSeconds: number | null;
  /** A number from 0 (included) to 1, as Math.random gives. */
  readonly random: () => number;
}

/**
 * How many milliseconds to wait before the next attempt, or null when there is none left. The schedule's delay is spread
 * by ±20 %; a receiver's own wish of a second or more is followed exactly, up to 24 hours.
 */
export function retryDelayMs({ schedule, attempt, retryAfterSeconds, random }: RetryQuestion): number | null {
  const seconds = schedule[attempt - 1];
  if (seconds === undefined) return null;
  // A wish for "at once" would burn all attempts within moments; the schedule is kinder to such a receiver.
  if (retryAfterSeconds !== null && retryAfterSeconds >= SHORTEST_WISH_SECONDS)
    return Math.min(retryAfterSeconds, LONGEST_WAIT_SECONDS) * 1000;
  return Math.round(seconds * 1000 * (1 - JITTER + 2 * JITTER * random()));
}
