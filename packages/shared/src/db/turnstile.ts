import { AppError } from '../errors/index.js';

/** How many pass at a time and how long the others wait. */
export interface TurnstileOptions {
  readonly places: number;
  /** Longest wait for a place, in milliseconds. */
  readonly patienceMs: number;
  /** Whether what an action threw means that the database has gone, for those who wait too. */
  readonly isGone: (error: unknown) => boolean;
}

/** Lets so many actions run at a time. */
export interface Turnstile {
  /** Runs an action as soon as there is a place; throws AppError `SERVICE_UNAVAILABLE` when there is none in time. */
  readonly pass: <T>(action: () => Promise<T>) => Promise<T>;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Makes the queue in front of the database's connections. The pool's own queue has the time-out of a new connection, and
 * calls a database that is merely busy unreachable. When the database has gone, those who wait are told at once instead of
 * finding out one after the other.
 */
export function createTurnstile({ places, patienceMs, isGone }: TurnstileOptions): Turnstile {
  const queue = new Set<Waiting>();
  let running = 0;

  const refuseAll = (error: unknown): void => {
    const all = [...queue];
    queue.clear();
    for (const { refuse } of all) refuse(error);
  };
  const place = (): Promise<void> => {
    if (running < places) {
      running++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(waiting.timer);
        queue.delete(waiting);
      };
      const busy = { message: 'the database is busy: no place in time', retryAfterSeconds: 1 };
      const waiting: Waiting = {
        start: () => {
          leave();
          resolve();
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
        timer: setTimeout(() => waiting.refuse(new AppError('SERVICE_UNAVAILABLE', busy)), patienceMs),
      };
      queue.add(waiting);
    });
  };

  return {
    pass: async (action) => {
      await place();
      try {
        return await action();
      } catch (error) {
        if (isGone(error)) refuseAll(error);
        throw error;
      } finally {
        const [next] = queue;
        if (next) next.start();
        else running--;
      }
    },
  };
}
