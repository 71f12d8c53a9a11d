import { ConfigError } from '@image-gateway/shared/config';
import { createDatabase } from '@image-gateway/shared/db';
import { createShutdown, createWatchdog, runProcess } from '@image-gateway/shared/lifecycle';
import { createLogger } from '@image-gateway/shared/logging';
import { createMetrics, startMetricsServer } from '@image-gateway/shared/metrics';
import { createObjectStore } from '@image-gateway/shared/storage';
import { composeWorker } from './compose.js';
import { readSettings, type Settings } from './env.js';
import { guardEventLoop } from './work/guard-event-loop.js';

const SERVICE = 'generation-worker';
const WATCH_EVERY_MS = 10_000;
const HUNG_AFTER_MS = 60_000;
const LOOP_GUARD = { everyMs: 5_000, patience: 12 };

/** Reads the settings or ends the process with one clear message. */
function settingsOrExit(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

async function main(): Promise<void> {
  const settings = settingsOrExit();
  const logger = createLogger({ service: SERVICE, level: settings.LOG_LEVEL });
  const metrics = createMetrics(SERVICE);
  const shutdown = createShutdown({ logger, graceMs: settings.SHUTDOWN_GRACE_MS });
  const server = await startMetricsServer({
    registry: metrics.registry,
    port: settings.METRICS_PORT,
    host: settings.HOST,
  });
  const db = createDatabase({
    url: settings.DATABASE_URL,
    applicationName: SERVICE,
    onIdleError: (error) => logger.warn('database connection lost', { error }),
  });
  const store = createObjectStore({
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET,
    accessKey: settings.S3_ACCESS_KEY,
    secretKey: settings.S3_SECRET_KEY,
  });
  const worker = composeWorker({ settings, db, store, logger, metrics });
  const loopGuard = guardEventLoop(LOOP_GUARD);
  const watchdog = createWatchdog({
    logger,
    probe: worker.probe,
    patienceMs: HUNG_AFTER_MS,
    intervalMs: WATCH_EVERY_MS,
    onHang: (reason) => void shutdown.run(reason).then(() => process.exit(1)),
  });
  runProcess({ shutdown, logger });
  shutdown.register('intake', 'watchdog', watchdog.stop);
  shutdown.register('intake', 'queue and sweeps', worker.stopIntake);
  shutdown.register('work', 'attempts', worker.finishWork);
  shutdown.register('connections', 'event loop guard', loopGuard.stop);
  shutdown.register('connections', 'queues', worker.disconnect);
  shutdown.register('connections', 'metrics', server.close);
  shutdown.register('connections', 'database', db.close);
  shutdown.register('connections', 'store', store.close);
  logger.info('started', {
    metricsPort: server.port,
    concurrency: settings.GENERATION_CONCURRENCY,
    providers: settings.PROVIDERS,
  });
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`The generation worker could not start: ${message}\n`);
  process.exit(1);
});
