import path from 'node:path';
import { createShutdown } from '@image-gateway/shared/lifecycle';
import { createLogger } from '@image-gateway/shared/logging';
import { createObjectStore } from '@image-gateway/shared/storage';
import { NO_TRACING } from '@image-gateway/shared/tracing';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  repositoryRoot,
  type TestAccount,
  testBucket,
} from '@image-gateway/testing';
import supertest from 'supertest';
import { compose } from '../../src/compose.js';
import { loadApiSettings } from '../../src/env.js';
import { listen } from '../../src/http/listen.js';
import { checkReply } from './check-reply.js';
import { readRoutes } from './read-routes.js';

/** The API, composed as in production, on services of the test's own. */
export type TestApi = Awaited<ReturnType<typeof startApi>>;

/** How a test calls. */
export interface CallOptions {
  readonly as?: TestAccount;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** An answer of the API. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: AnswerJson;
}

/** The envelope with everything that tests look at; what is not there is undefined, whatever the types say. */
export interface AnswerJson {
  readonly data: {
    readonly id: string;
    readonly type: string;
    readonly redis: string;
    readonly reasons?: { readonly redis?: string };
    readonly items: readonly { readonly id: string; readonly created_at: string }[];
    readonly pagination: { readonly total: number };
  };
  readonly error: { readonly code: string; readonly message: string };
}

/**
 * Starts the API with further settings on top of the services' own. It meets its database through the `host:port` of
 * `PROXY_DATABASE`, and as the superuser `DATABASE_ROLE`, whose password is its name.
 */
export async function startApi(env: Record<string, string> = {}) {
  const test = await createTestDatabase();
  const redis = await createTestRedis();
  const bucket = testBucket();
  const { PROXY_DATABASE: databaseHost, DATABASE_ROLE: role, ...more } = env;
  const databaseUrl = new URL(test.url);
  if (databaseHost !== undefined) {
    databaseUrl.host = databaseHost;
  }
  if (role !== undefined) {
    databaseUrl.username = role;
    databaseUrl.password = role;
  }
  /** Settings of a worker on the same services. */
  const workerEnv = {
    DATABASE_URL: databaseUrl.href,
    REDIS_URL: redis.url,
    S3_ENDPOINT: bucket.endpoint,
    S3_BUCKET: bucket.bucket,
    S3_ACCESS_KEY: bucket.accessKey,
    S3_SECRET_KEY: bucket.secretKey,
    BASE_URL: 'http://gateway.test',
  };
  const settings = loadApiSettings({
    HOST: '127.0.0.1',
    PORT: '0',
    ...workerEnv,
    RATE_LIMIT_KEY: 'off',
    RATE_LIMIT_IP: 'off',
    SHUTDOWN_GRACE_MS: '5000',
    ...more,
  });
  /** Everything that was logged, one JSON object a line. */
  const lines: string[] = [];
  const logger = createLogger({ service: 'api', level: 'debug', write: (line) => lines.push(line) });
  const shutdown = createShutdown({ logger, graceMs: settings.SHUTDOWN_GRACE_MS });
  const invariantsFile = path.join(repositoryRoot(), 'prisma/invariants.sql');
  const pagesDir = path.join(import.meta.dirname, 'pages');
  const { server, app } = compose(settings, {
    onReply: checkReply,
    logger,
    shutdown,
    tracing: NO_TRACING,
    pagesDir,
    invariantsFile,
  });
  const port = await listen(server, { host: '127.0.0.1', port: 0, shutdown });
  const url = `http://127.0.0.1:${port}`;
  const store = createObjectStore(bucket);
  return {
    url,
    port,
    server,
    test,
    workerEnv,
    store,
    shutdown,
    lines,
    /** Every route, as the router has it. */
    routes: readRoutes(app),
    /** Requests without a key, by supertest. */
    http: supertest(server),
    account: (options?: { balanceMicros?: bigint }) => createTestAccount(test, options),
    /** Answers of the API as JSON, with a key when an account is given. */
    call: (path: string, options?: CallOptions) => call(url, path, options),
    stop: async () => {
      await shutdown.run('test');
      store.close();
      await test.close();
    },
  };
}

async function call(url: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { as, body } = options;
  const response = await fetch(url + path, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      ...(as && { authorization: `Bearer ${as.apiKey}` }),
      ...(body !== undefined && { 'content-type': body instanceof Blob ? body.type : 'application/json' }),
      ...options.headers,
    },
    ...(body !== undefined && {
      body:
        typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob
          ? body
          : JSON.stringify(body),
    }),
  });
  const text = await response.text();
  const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: (isJson && text !== '' ? JSON.parse(text) : undefined) as AnswerJson,
  };
}
