import { TIMED_OUT, withTimeout } from './wait-limits.js';

/** How something that other processes change is followed. */
export interface FollowerOptions {
  /** Reads it and keeps it; may throw. */
  readonly read: () => Promise<unknown>;
  /** Called when something older than allowed has to do, because it could not be read in time. At most once a second. */
  readonly onStale: (error: unknown) => void;
  /** Milliseconds that only rise. */
  readonly now?: () => number;
}

/** Keeps something that other processes change young, however rarely somebody asks. */
export interface Follower {
  /** Reads at once. Throws what the read throws. */
  readonly read: () => Promise<void>;
  /**
   * Resolves when what is known is at most three seconds old. Where it is older, waits for one shared read, half a second at most. The old
   * state stays where it could not be read in that time. Never rejects.
   */
  readonly follow: () => Promise<void>;
}

/** Age up to which nothing is read; a second in which a read failed is not waited in again. */
const FRESH_MS = 1_000;
/** Age up to which nobody waits; with the wait, and with what a worker takes to report a change, less than 5 s. */
const MAX_AGE_MS = 3_000;
// A request has to end within 6 s while the database does not answer.
const MAX_WAIT_MS = 500;

/** Creates a follower; the age is that of the beginning of the last read that succeeded. */
export function createFollower({ read, onStale, now = () => performance.now() }: FollowerOptions): Follower {
  let readAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<unknown> | null = null;

  const readOnce = async (): Promise<void> => {
    const begunAt = now();
    await read();
    readAt = Math.max(readAt, begunAt);
  };
  /** Resolves with the error of a read that failed. */
  const share = (): Promise<unknown> => {
    reading ??= readOnce()
      .catch((error: unknown) => error)
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  return {
    read: readOnce,
    follow: async () => {
      const ageMs = now() - readAt;
      if (ageMs <= FRESH_MS) {
        return;
      }
      const shared = share();
      if (ageMs <= MAX_AGE_MS || now() - failedAt < FRESH_MS) {
        return;
      }
      const error = await withTimeout(MAX_WAIT_MS, shared);
      if (now() - readAt > MAX_AGE_MS && now() - failedAt >= FRESH_MS) {
        failedAt = now();
        onStale(error === TIMED_OUT ? new Error('no answer in time') : error);
      }
    },
  };
}
