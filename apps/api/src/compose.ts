import type { Server } from 'node:http';
import { publicUrlsOf } from '@image-gateway/shared/config';
import { generateSchema } from '@image-gateway/shared/contract';
import { createDatabase } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import type { Shutdown } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import { createMetrics, type Metrics } from '@image-gateway/shared/metrics';
import { checkLiteralHost } from '@image-gateway/shared/net';
import { createProducer, createRedis } from '@image-gateway/shared/queues';
import { createObjectStore } from '@image-gateway/shared/storage';
import { createApp } from './app.js';
import type { ApiSettings } from './env.js';
import { generate } from './handlers/generate.js';
import { getTask } from './handlers/get-task.js';
import { healthz } from './handlers/healthz.js';
import { readyz } from './handlers/readyz.js';
import { admission } from './http/admission.js';
import { createAuthenticate } from './http/authenticate.js';
import { createHttpServer } from './http/create-server.js';
import { createHinter } from './http/hinter.js';
import { createKeyUseNotes } from './http/key-use-notes.js';
import { createReadiness } from './http/readiness.js';
import { routes } from './routes.js';

/** The composed process. */
export interface Api {
  readonly server: Server;
  readonly metrics: Metrics;
}

/** Wires the API; everything with a lifetime is registered for shutdown. Connects to nothing before it is needed. */
export function compose(
  settings: ApiSettings,
  { logger, shutdown }: { readonly logger: Logger; readonly shutdown: Shutdown },
): Api {
  const metrics = createMetrics('api');
  const { fileUrl } = publicUrlsOf(settings);
  const db = createDatabase({
    url: settings.DATABASE_URL,
    applicationName: 'image-gateway-api',
    // Together below the 6 s within which a request must be answered when the database is away.
    connectTimeoutMs: 2_000,
    statementTimeoutMs: 3_500,
    lockTimeoutMs: 2_000,
    onIdleError: (error) => logger.warn('a database connection broke', { error: error.message }),
  });
  const redis = createRedis({ url: settings.REDIS_URL, mode: 'fail-fast', name: 'api', logger });
  const store = createObjectStore({
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET,
    accessKey: settings.S3_ACCESS_KEY,
    secretKey: settings.S3_SECRET_KEY,
    timeoutMs: 5_000,
  });
  const producer = createProducer({
    redis,
    onFailure: ({ count }) => metrics.hints.inc({ queue: 'generation', result: 'lost' }, count),
  });
  const keyUse = createKeyUseNotes({ db, logger });
  const hinter = createHinter({ producer, metrics });
  const readiness = createReadiness({
    isDraining: () => shutdown.signal.aborted,
    postgres: db.ping,
    redis: () => redis.ping(),
    storage: () => store.ping(),
  });

  const allow = new Set(settings.OUTBOUND_ALLOW);
  const leadsOutside = (url: string): boolean => checkLiteralHost(url, allow) === 'ok';
  const schema = generateSchema({
    models: settings.ENABLED_MODELS,
    isAllowedImageUrl: (url) => url.startsWith(`${fileUrl}/images/`) || leadsOutside(url),
    isAllowedWebhookUrl: leadsOutside,
  });
  const accept = {
    db,
    newId,
    maxPendingTasks: settings.MAX_PENDING_TASKS,
    deadlineMs: settings.TASK_DEADLINE_MS,
  };

  const app = createApp({
    routes: routes({
      healthz: healthz(),
      readyz: readyz(readiness),
      generate: generate({
        accept,
        schema,
        fileUrl,
        hint: hinter.hint,
        onAccepted: (model) => metrics.tasksAccepted.inc({ model }),
      }),
      getTask: getTask({ db, fileUrl }),
    }),
    admission: admission({ authenticate: createAuthenticate({ db, onUse: keyUse.note }) }),
    trustProxy: settings.TRUST_PROXY,
    logger,
    metrics,
  });

  shutdown.register('work', 'hints', () => hinter.stop());
  shutdown.register('work', 'key use', () => keyUse.stop());
  shutdown.register('connections', 'queues', () => producer.close());
  shutdown.register('connections', 'redis', () => redis.disconnect());
  shutdown.register('connections', 'database', () => db.close());
  shutdown.register('connections', 'storage', () => store.close());
  return { server: createHttpServer(app), metrics };
}
