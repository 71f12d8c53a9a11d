import pg from 'pg';
import { createRefusedError } from './database-error.js';
import { judgeSession } from './session-defaults.js';
import { getReportedSettings, wasCanceled } from './timed-client.js';

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
 * ones only. Its `connect` throws an error of the driver's kind for one whose session has wrong settings. Prisma takes
 * connections from the same pool, through `query` and `connect`.
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
  const expireAll = (): void => {
    const now = performance.now();
    if (now - expiredBefore >= EXPIRE_EVERY_MS) {
      expiredBefore = now;
    }
  };
  const isExpired = (client: pg.ClientBase): boolean =>
    wasCanceled(client) ||
    (openedAt.get(client) ?? 0) <= expiredBefore ||
    (endsAt.get(client) ?? 0) <= performance.now();

  const take = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const connect = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const client = await take();
      if (isExpired(client)) {
        client.release(true);
        continue;
      }
      const fault = judgeClient(client);
      if (fault) {
        // The next second's connections may be right.
        expireAll();
        client.release();
        throw createRefusedError(fault);
      }
      return client;
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

  return { pool, expireAll };
}

/** Returns the error of a connection whose session would answer something else than statements expect: none runs in it. */
function judgeClient(client: pg.PoolClient): Error | null {
  const { user = '', database = '' } = client as unknown as pg.Client;
  return judgeSession({ role: user, database, settings: getReportedSettings(client) });
}
