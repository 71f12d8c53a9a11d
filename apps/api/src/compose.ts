import type { Server } from 'node:http';
import { DEFAULT_DATABASE_POOL, READ_CONNECTIONS } from '@image-gateway/shared/config';
import { createDatabase, createReads } from '@image-gateway/shared/db';
import { withPrisma } from '@image-gateway/shared/db/prisma';
import type { Shutdown } from '@image-gateway/shared/lifecycle';
import { createRateLimiter } from '@image-gateway/shared/limits';
import type { Logger } from '@image-gateway/shared/logging';
import { createMetrics, type Metrics } from '@image-gateway/shared/metrics';
import { createProducer, createQueueInspector, createRedis } from '@image-gateway/shared/queues';
import { createObjectStore } from '@image-gateway/shared/storage';
import { createApp } from './app.js';
import { createKeyUseRecorder } from './background/key-use-recorder.js';
import { createTaskEnqueuer } from './background/task-enqueuer.js';
import { composeDashboard } from './compose-dashboard.js';
import { composeHandlers } from './compose-handlers.js';
import { createBoard } from './dashboard/board/create-board.js';
import type { ApiSettings } from './env.js';
import { admission } from './http/admission.js';
import { createAuthenticator } from './http/authenticate.js';
import { createHttpServer } from './http/create-server.js';
import { limitOpenPaths } from './http/limit-open-paths.js';
import { createLoadMonitor } from './http/load-monitor.js';
import { createReadiness } from './http/readiness.js';
import { resetSlowReaders } from './http/reset-slow-readers.js';
import { shedLoad } from './http/shed-load.js';
import { routes as routeTable } from './routes.js';

/** The composed process. */
export interface Api {
  readonly server: Server;
  readonly metrics: Metrics;
}

/** What a process brings along. */
export interface ComposeDeps {
  readonly logger: Logger;
  readonly shutdown: Shutdown;
  /** The folder with the built pages of the dashboard. */
  readonly pagesDir: string;
  /** The path of invariants.sql. */
  readonly invariantsFile: string;
}

/** Share of lists, sums and pages of the dashboard: a read that takes longer is refused, so that none can hold a connection. */
const READS = { connections: READ_CONNECTIONS, connectionsPerAccount: 2, timeoutMs: 300 };

/** Wires the API; everything with a lifetime is registered for shutdown. Waits for nothing. */
export function compose(
  settings: ApiSettings,
  { logger, shutdown, pagesDir, invariantsFile }: ComposeDeps,
): Api {
  const isDraining = (): boolean => shutdown.signal.aborted;
  const metrics = createMetrics('api');
  const load = createLoadMonitor();
  const db = withPrisma(
    createDatabase({
      url: settings.DATABASE_URL,
      applicationName: 'image-gateway-api',
      max: settings.DATABASE_POOL ?? DEFAULT_DATABASE_POOL.api,
      // A submission makes at most two statements in a row that the database does not answer, each half a second longer
      // than this: together below the 6 s within which a request must be answered when the database is away.
      connectTimeoutMs: 2_000,
      statementTimeoutMs: 2_000,
      lockTimeoutMs: 1_800,
      onIdleError: (error) => logger.warn('a database connection broke', { error: error.message }),
    }),
  );
  // Submits and polls never wait for a list.
  const reads = createReads({
    ...READS,
    url: settings.DATABASE_URL,
    applicationName: 'image-gateway-api-reads',
    onIdleError: (error) => logger.warn('a database connection broke', { error: error.message }),
  });
  // A check of the books reads every row and may take its time, and no place of a request.
  const books = createDatabase({
    url: settings.DATABASE_URL,
    applicationName: 'image-gateway-books',
    max: 1,
    statementTimeoutMs: 5 * 60_000,
    lockTimeoutMs: 30_000,
    onIdleError: (error) => logger.warn('a database connection broke', { error: error.message }),
  });
  const connect = (name: string, commandTimeoutMs?: number): ReturnType<typeof createRedis> =>
    createRedis({
      url: settings.REDIS_URL,
      mode: 'fail-fast',
      name,
      logger,
      ...(commandTimeoutMs !== undefined && { commandTimeoutMs }),
    });
  const redis = connect('api');
  // A slow answer about limits is as good as none, a slow hint is not.
  const limitsRedis = connect('api-limits', 500);
  const store = createObjectStore({
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET,
    accessKey: settings.S3_ACCESS_KEY,
    secretKey: settings.S3_SECRET_KEY,
    timeoutMs: 5_000,
  });
  const prefix = settings.REDIS_PREFIX;
  const producer = createProducer({
    redis,
    prefix,
    onFailure: ({ count }) => metrics.hints.inc({ queue: 'generation', result: 'lost' }, count),
  });
  const inspector = createQueueInspector({ redis, prefix });
  const board = createBoard({ redis, prefix });
  const enqueuer = createTaskEnqueuer({ producer, metrics });
  const keyUse = createKeyUseRecorder({ db, logger });
  const readiness = createReadiness({
    isDraining,
    postgres: db.ping,
    redis: () => redis.ping(),
    storage: () => store.ping(),
  });
  const limiter = createRateLimiter({
    redis: limitsRedis,
    prefix: `${prefix}:limit`,
    onFallback: () => metrics.limiterFallbacks.inc(),
  });
  const handlers = composeHandlers({ settings, db, reads, store, readiness, enqueuer, metrics });
  const { generate } = handlers;
  const dashboard = composeDashboard({
    settings,
    db,
    reads,
    books,
    limiter,
    generate,
    logger,
    pagesDir,
    invariantsFile,
    inspector,
    openBoard: board.open,
  });
  const routes = [...routeTable(handlers), ...dashboard];
  const guard = admission({
    ...createAuthenticator({ db, onUse: keyUse.record }),
    limiter,
    keyRate: settings.RATE_LIMIT_KEY,
    accountRate: settings.RATE_LIMIT_ACCOUNT,
    ipRate: settings.RATE_LIMIT_IP,
    authRate: settings.RATE_LIMIT_AUTH,
    openPaths: new Set(routes.filter(({ access }) => access === 'open').map(({ path }) => path)),
  });
  const app = createApp({
    routes,
    gate: shedLoad({ load, isDraining }),
    openLimit: limitOpenPaths({ limiter, rate: settings.RATE_LIMIT_FILES }),
    admission: guard,
    trustProxy: settings.TRUST_PROXY,
    logger,
    metrics,
  });

  shutdown.register('work', 'hints', enqueuer.stop);
  shutdown.register('work', 'key use', keyUse.stop);
  shutdown.register('connections', 'queues', async () => {
    await producer.close();
    await inspector.close();
    await board.close();
    redis.disconnect();
    limitsRedis.disconnect();
  });
  shutdown.register('connections', 'database', db.close);
  shutdown.register('connections', 'reads', reads.close);
  shutdown.register('connections', 'books', books.close);
  shutdown.register('connections', 'storage', store.close);
  shutdown.register('connections', 'load', load.stop);
  const server = createHttpServer(app);
  shutdown.register('connections', 'readers', resetSlowReaders(server));
  return { server, metrics };
}
