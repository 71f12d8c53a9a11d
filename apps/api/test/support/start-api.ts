import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createShutdown, type Shutdown } from '@image-gateway/shared/lifecycle';
import { createLogger } from '@image-gateway/shared/logging';
import { createObjectStore, type ObjectStore } from '@image-gateway/shared/storage';
import { NO_TRACING } from '@image-gateway/shared/tracing';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  repositoryRoot,
  type TestAccount,
  type TestDatabase,
  testBucket,
} from '@image-gateway/testing';
import supertest from 'supertest';
import { compose } from '../../src/compose.js';
import { loadApiSettings } from '../../src/env.js';
import { listen } from '../../src/http/listen.js';
import { checkReply } from './check-reply.js';
import { readRoutes, type ServedRoute } from './read-routes.js';

/** The API, composed as in production, on services of the test's own. */
export interface TestApi {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  readonly test: TestDatabase;
  /** Settings of a worker on the same services. */
  readonly workerEnv: Readonly<Record<string, string>>;
  readonly store: ObjectStore;
  readonly shutdown: Shutdown;
  /** Everything that was logged, one JSON object a line. */
  readonly lines: string[];
  /** Every route, as the router has it. */
  readonly routes: readonly ServedRoute[];
  readonly account: (options?: { balanceMicros?: bigint }) => Promise<TestAccount>;
  /** Requests without a key, by supertest. */
  readonly http: ReturnType<typeof supertest>;
  /** Answers of the API as JSON, with a key when an account is given. */
  readonly call: (path: string, options?: CallOptions) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

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
export async function startApi(env: Record<string, string> = {}): Promise<TestApi> {
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
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
    routes: readRoutes(app),
    http: supertest(server),
    account: (options) => createTestAccount(test, options),
    call: (path, options) => call(url, path, options),
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
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body !== undefined && {
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
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
