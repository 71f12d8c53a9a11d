import { DEFAULT_DATABASE_POOL } from '@image-gateway/shared/config';
import { createDatabase, nameSession, refuseUnusableDatabase } from '@image-gateway/shared/db';
import {
  createShutdown,
  createWatchdog,
  notifyServiceManager,
  runProcess,
  type WorkerTimes,
} from '@image-gateway/shared/lifecycle';
import { createLogger } from '@image-gateway/shared/logging';
import { createMetrics, startMetricsServer } from '@image-gateway/shared/metrics';
import { refuseCluster } from '@image-gateway/shared/queues';
import { createTracing } from '@image-gateway/shared/tracing';
import { composeWorker } from './compose.js';
import type { Settings } from './env.js';

const SERVICE = 'webhook-worker';
const WORKER_TIMES: WorkerTimes = { checkEveryMs: 10_000, hungAfterMs: 60_000, queueStuckAfterMs: 120_000 };

/**
 * Runs a webhook worker until a signal ends this process, or until it hangs (exit code 1). Resolves when it has started;
 * rejects when it cannot.
 */
export async function runWorker(settings: Settings, times: WorkerTimes = WORKER_TIMES): Promise<void> {
  const logger = createLogger({ service: SERVICE, level: settings.LOG_LEVEL });
  await Promise.all([
    refuseCluster(settings.REDIS_URL, logger),
    refuseUnusableDatabase(settings.DATABASE_URL, logger),
  ]);
  const metrics = createMetrics(SERVICE);
  const tracing = await createTracing(settings, { service: SERVICE, logger });
  const shutdown = createShutdown({ logger, graceMs: settings.SHUTDOWN_GRACE_MS });
  runProcess({ shutdown, logger });

  const db = createDatabase({
    url: settings.DATABASE_URL,
    applicationName: nameSession(SERVICE),
    max: settings.DATABASE_POOL ?? DEFAULT_DATABASE_POOL.worker,
    onIdleError: (error) => logger.warn('database connection lost', { error }),
  });
  const { queueStuckAfterMs } = times;
  const worker = composeWorker({ settings, db, logger, metrics, tracing, queueStuckAfterMs });
  const watchdog = createWatchdog({
    logger,
    probe: worker.probe,
    times,
    onHang: (reason) => void shutdown.run(reason).then(() => process.exit(1)),
  });
  const server = await startMetricsServer({
    registry: metrics.registry,
    port: settings.METRICS_PORT,
    host: settings.METRICS_HOST,
  });

  shutdown.register('intake', 'watchdog', watchdog.stop);
  shutdown.register('intake', 'queue and lookups', worker.stopIntake);
  shutdown.register('work', 'posts', worker.finishWork);
  shutdown.register('connections', 'metrics', server.close);
  shutdown.register('connections', 'traces', tracing.close);
  shutdown.register('connections', 'database', db.close);
  logger.info('started', { metricsPort: server.port, concurrency: settings.WEBHOOK_CONCURRENCY });
  await notifyServiceManager('ready', { logger });
}
