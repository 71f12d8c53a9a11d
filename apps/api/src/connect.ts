import { DEFAULT_DATABASE_POOL, READ_CONNECTIONS } from '@image-gateway/shared/config';
import {
  createDatabase,
  createReads,
  type Database,
  nameSession,
  type Reads,
} from '@image-gateway/shared/db';
import { type PrismaDatabase, withPrisma } from '@image-gateway/shared/db/prisma';
import type { Shutdown } from '@image-gateway/shared/lifecycle';
import { createRateLimiter, type RateLimiter } from '@image-gateway/shared/limits';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import {
  createProducer,
  createQueueInspector,
  createRedis,
  jobs,
  type Producer,
  type QueueInspector,
} from '@image-gateway/shared/queues';
import { createObjectStore, type ObjectStore, toStoreSettings } from '@image-gateway/shared/storage';
import type { ApiSettings } from './env.js';

/** Connections of the API to its services. */
export interface Connections {
  readonly db: PrismaDatabase;
  /** For lists, sums and pages of the dashboard. */
  readonly reads: Reads;
  /** One connection with time for statements that read everything. */
  readonly books: Database;
  readonly redis: ReturnType<typeof createRedis>;
  /** For nothing but the published ends of tasks. */
  readonly endsRedis: ReturnType<typeof createRedis>;
  readonly producer: Producer;
  readonly inspector: QueueInspector;
  readonly limiter: RateLimiter;
  readonly store: ObjectStore;
}

/** Reads of an account wait in its turn. A statement that takes longer is refused, so that none holds a connection for long. */
const READS = {
  connections: READ_CONNECTIONS,
  connectionsPerAccount: 2,
  maxWaiting: 1_000,
  maxWaitMs: 10_000,
  statementTimeoutMs: 5_000,
};

/** Opens the connections of the API and registers their end. Waits for none of them. */
export function connect(
  settings: ApiSettings,
  deps: { readonly logger: Logger; readonly metrics: Metrics; readonly shutdown: Shutdown },
): Connections {
  const { logger, metrics, shutdown } = deps;
  const url = settings.DATABASE_URL;
  const onIdleError = (error: Error): void => {
    logger.warn('a database connection broke', { error: error.message });
  };
  const db = withPrisma(
    createDatabase({
      url,
      applicationName: nameSession('image-gateway-api'),
      max: settings.DATABASE_POOL ?? DEFAULT_DATABASE_POOL.api,
      // A submission makes at most two statements in a row without a response of the database. Each takes half a second
      // longer than this. A request must end within 6 s when the database is unreachable, and two statements stay below.
      connectTimeoutMs: 2_000,
      statementTimeoutMs: 2_000,
      onIdleError,
    }),
  );
  // Submits and polls never wait for a list.
  const reads = createReads({
    ...READS,
    url,
    applicationName: nameSession('image-gateway-api-reads'),
    onIdleError,
  });
  // A check of the books reads every row and must not take a connection from requests.
  const books = createDatabase({
    url,
    applicationName: nameSession('image-gateway-books'),
    max: 1,
    statementTimeoutMs: 5 * 60_000,
    onIdleError,
  });
  const openRedis = (name: string, commandTimeoutMs?: number): ReturnType<typeof createRedis> =>
    createRedis({
      url: settings.REDIS_URL,
      mode: 'fail-fast',
      name,
      logger,
      ...(commandTimeoutMs !== undefined && { commandTimeoutMs }),
    });
  const redis = openRedis('api');
  // A late decision about limits is as good as none; a late hint is still useful.
  const limitsRedis = openRedis('api-limits', 500);
  const endsRedis = openRedis('api-task-ends');
  const prefix = settings.REDIS_PREFIX;
  const producer = createProducer({
    redis,
    prefix,
    onFailure: ({ name, count }) => metrics.hints.inc({ queue: jobs[name].queue, result: 'lost' }, count),
  });
  const inspector = createQueueInspector({ redis, prefix });
  const limiter = createRateLimiter({
    redis: limitsRedis,
    prefix: `${prefix}:limit`,
    onFallback: () => metrics.limiterFallbacks.inc(),
  });
  const store = createObjectStore({ ...toStoreSettings(settings), timeoutMs: 5_000 });
  shutdown.register('connections', 'queues', async () => {
    await producer.close();
    await inspector.close();
    redis.disconnect();
    limitsRedis.disconnect();
    endsRedis.disconnect();
  });
  shutdown.register('connections', 'database', db.close);
  shutdown.register('connections', 'reads', reads.close);
  shutdown.register('connections', 'books', books.close);
  shutdown.register('connections', 'storage', store.close);
  return { db, reads, books, redis, endsRedis, producer, inspector, limiter, store };
}
