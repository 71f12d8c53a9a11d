import path from 'node:path';
import { API_ENV, findFreePort, GENERATION_WORKER_ENV, MEMORY_FLAGS } from '@image-gateway/local-stack';
import type { Services } from './services.js';
import { type Program, startProgram } from './start-program.js';

/** Settings for the programs of the product. */
export interface ProductOptions {
  readonly root: string;
  readonly folder: string;
  readonly services: Services;
  readonly databaseUrl: string;
  /** More settings, and other values for those below. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Before the program's file, such as `--cpu-prof`. */
  readonly nodeArgs?: readonly string[];
}

/** Environments of programs, as their container images set them. */
const ENVIRONMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  api: API_ENV,
  'generation-worker': GENERATION_WORKER_ENV,
};

/** Everything is switched on; the limits are so high that the load of a bench does not meet them. */
async function buildSettings({
  services,
  databaseUrl,
  settings,
}: ProductOptions): Promise<Record<string, string>> {
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(await findFreePort()),
    METRICS_PORT: String(await findFreePort()),
    // No scene fetches a result by the address that a task names.
    BASE_URL: 'http://127.0.0.1:9',
    DATABASE_URL: databaseUrl,
    REDIS_URL: services.redisUrl,
    S3_ENDPOINT: services.s3.endpoint,
    S3_ACCESS_KEY: services.s3.accessKey,
    S3_SECRET_KEY: services.s3.secretKey,
    S3_BUCKET: 'image-gateway',
    PROVIDERS: 'sandbox',
    AUTH_SECRET: '0123456789abcdef0123456789abcdef',
    RATE_LIMIT_KEY: '100000000/60',
    RATE_LIMIT_IP: '100000000/60',
    RATE_LIMIT_FILES: '100000000/60',
    MAX_PENDING_TASKS: '100000000',
    MAX_PENDING_DELIVERIES: '100000000',
    MAX_FAILED_TASKS: 'off',
    TASK_DEADLINE_MS: '86400000',
    ...settings,
  };
}

async function startApp(
  options: ProductOptions,
  app: string,
  ready: '/readyz' | '/metrics',
): Promise<Program> {
  const settings = await buildSettings(options);
  const env = { ...ENVIRONMENTS[app], ...settings };
  const metricsUrl = `http://127.0.0.1:${settings.METRICS_PORT}`;
  const url = ready === '/readyz' ? `http://127.0.0.1:${settings.PORT}` : metricsUrl;
  const main = path.join(options.root, 'apps', app, 'dist/main.js');
  const flags = app === 'webhook-worker' ? [] : MEMORY_FLAGS;
  const args = [...flags, ...(options.nodeArgs ?? []), main];
  return startProgram({
    name: app,
    args,
    env,
    folder: options.folder,
    url,
    metricsUrl,
    readyUrl: url + ready,
  });
}

/** Starts an API process. */
export const startApi = (options: ProductOptions): Promise<Program> => startApp(options, 'api', '/readyz');
/** Starts a generation worker. */
export const startGenerationWorker = (options: ProductOptions): Promise<Program> =>
  startApp(options, 'generation-worker', '/metrics');
/** Starts a webhook worker. */
export const startWebhookWorker = (options: ProductOptions): Promise<Program> =>
  startApp(options, 'webhook-worker', '/metrics');
