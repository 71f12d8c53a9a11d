import { createSemaphore } from '../../runtime/concurrency/index.js';
import { AppError } from '../errors/index.js';

/** Size of a connection semaphore and its longest wait. */
export interface ConnectionSemaphoreOptions {
  readonly connections: number;
  /** Longest wait for a connection, in milliseconds. */
  readonly maxWaitMs: number;
  /** Says that an error means an unreachable database, which concerns the waiting callers too. */
  readonly isUnreachable: (error: unknown) => boolean;
}

/** Semaphore in front of the connections of a database. */
export interface ConnectionSemaphore {
  /** Runs an action as soon as a connection is free; throws AppError `SERVICE_UNAVAILABLE` after the longest wait. */
  readonly run: <T>(action: () => Promise<T>) => Promise<T>;
}

/**
 * Creates the semaphore in front of the database's connections. The queue of the pool would apply the timeout for new
 * connections and report a busy database as unreachable. An unreachable database fails all waiting callers at once, so they
 * do not find out one after the other.
 */
export function createConnectionSemaphore({
  connections,
  maxWaitMs,
  isUnreachable,
}: ConnectionSemaphoreOptions): ConnectionSemaphore {
  const busy = { message: 'the database is busy: no connection in time', retryAfterSeconds: 1 };
  const createError = (): Error => new AppError('SERVICE_UNAVAILABLE', busy);
  const semaphore = createSemaphore({ permits: connections, timeout: { ms: maxWaitMs, createError } });
  return {
    run: (action) =>
      semaphore.run(async () => {
        try {
          return await action();
        } catch (error) {
          if (isUnreachable(error)) {
            semaphore.refuseWaiting(error);
          }
          throw error;
        }
      }),
  };
}
