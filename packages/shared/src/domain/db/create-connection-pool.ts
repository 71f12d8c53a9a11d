import pg from 'pg';
import { createSemaphore, TIMED_OUT, withTimeout } from '../../runtime/concurrency/index.js';
import { AppError } from '../errors/index.js';
import type { Statement } from './statement.js';

/** Pool of connections that can be expired together. */
export interface ConnectionPool {
  readonly pool: pg.Pool;
  /** Drops every connection that is open now: idle ones at their next use, busy ones after it. At most once a second. */
  readonly expireAll: () => void;
}

/** Longest life of connections in milliseconds. */
export interface ConnectionPoolOptions {
  readonly maxLifetimeMs: number;
}

// While a database takes no writes every write says so; connections are not made anew for each of them.
const EXPIRE_EVERY_MS = 1_000;
/** Share of the longest life by which connections differ, so that they do not end at one moment. */
const JITTER = 0.2;

/**
 * Creates a pool whose connections have a longest life. A connection is judged when it is taken: the pool's own timers end idle
 * ones only. Prisma takes connections from the same pool, through `query` and `connect`.
 */
export function createConnectionPool(
  config: pg.PoolConfig,
  { maxLifetimeMs }: ConnectionPoolOptions,
): ConnectionPool {
  const pool = new pg.Pool(config);
  const endsAt = new WeakMap<pg.ClientBase, number>();
  const openedAt = new WeakMap<pg.ClientBase, number>();
  let expiredBefore = Number.NEGATIVE_INFINITY;
  pool.on('connect', (client) => {
    const now = performance.now();
    openedAt.set(client, now);
    endsAt.set(client, now + maxLifetimeMs * (1 - JITTER * Math.random()));
  });
  const isExpired = (client: pg.ClientBase): boolean =>
    (openedAt.get(client) ?? 0) <= expiredBefore || (endsAt.get(client) ?? 0) <= performance.now();

  const take = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const connect = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const client = await take();
      if (!isExpired(client)) {
        return client;
      }
      client.release(true);
    }
  };
  type Callback = Parameters<typeof pool.connect>[0];
  pool.connect = ((callback?: Callback) => {
    if (!callback) {
      return connect();
    }
    connect().then(
      (client) => callback(undefined, client, client.release.bind(client)),
      (error: Error) => callback(error, undefined, () => undefined),
    );
  }) as typeof pool.connect;

  return {
    pool,
    expireAll: () => {
      const now = performance.now();
      if (now - expiredBefore >= EXPIRE_EVERY_MS) {
        expiredBefore = now;
      }
    },
  };
}

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

// The driver has a timeout of its own, which forgets answers that have arrived but were not read yet. It must not be first.
const DRIVERS_OWN_MS = 60_000;

/** Runs a statement on a connection of the pool; throws what the driver throws, and an Error when the answer takes longer than `answerMs`. */
export async function queryWithin(
  pool: pg.Pool,
  { name, text }: Statement,
  values: readonly unknown[],
  answerMs: number,
): Promise<pg.QueryResult> {
  const client = await pool.connect();
  const query = { name, text, values: [...values], query_timeout: answerMs + DRIVERS_OWN_MS };
  // A connection that breaks rejects its query as well.
  const onError = (): void => undefined;
  client.on('error', onError);
  let spoiled = true;
  try {
    const result = await withTimeout(answerMs, client.query(query));
    if (result === TIMED_OUT) {
      throw new Error(`no answer for ${answerMs} ms`);
    }
    spoiled = false;
    return result;
  } catch (error) {
    // An error that the server merely reported leaves its connection usable.
    spoiled = (error as { severity?: unknown }).severity !== 'ERROR';
    throw error;
  } finally {
    client.release(spoiled);
    client.off('error', onError);
  }
}
