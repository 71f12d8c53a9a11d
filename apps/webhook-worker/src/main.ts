import { createDatabase } from '@image-gateway/shared/db';
import { createShutdown, createWatchdog, runProcess } from '@image-gateway/shared/lifecycle';
import { createLogger } from '@image-gateway/shared/logging';
import { createMetrics, startMetricsServer } from '@image-gateway/shared/metrics';
import { composeWorker } from './compose.js';
import { readSettings } from './env.js';

const SERVICE = 'webhook-worker';
const WATCH_EVERY_MS = 10_000;
const HUNG_AFTER_MS = 60_000;

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const logger = createLogger({ service: SERVICE, level: settings.LOG_LEVEL });
  const metrics = createMetrics(SERVICE);
  const shutdown = createShutdown({ logger, graceMs: settings.SHUTDOWN_GRACE_MS });
  runProcess({ shutdown, logger });

  const db = createDatabase({
    url: settings.DATABASE_URL,
    applicationName: SERVICE,
    onIdleError: (error) => logger.warn('database connection lost', { error }),
  });
  const worker = composeWorker({ settings, db, logger, metrics });
  const watchdog = createWatchdog({
    logger,
    probe: worker.probe,
    patienceMs: HUNG_AFTER_MS,
    intervalMs: WATCH_EVERY_MS,
    onHang: (reason) => void shutdown.run(reason).then(() => process.exit(1)),
  });
  const server = await startMetricsServer({
    registry: metrics.registry,
    port: settings.METRICS_PORT,
    host: settings.HOST,
  });

  shutdown.register('intake', 'watchdog', watchdog.stop);
  shutdown.register('intake', 'queue and look-ups', worker.stopIntake);
  shutdown.register('work', 'posts', worker.finishWork);
  shutdown.register('connections', 'metrics', server.close);
  shutdown.register('connections', 'database', db.close);
  logger.info('started', { metricsPort: server.port, concurrency: settings.WEBHOOK_CONCURRENCY });
}

main().catch((error: unknown) => {
  process.stderr.write(
    `The webhook worker could not start: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exit(1);
});
