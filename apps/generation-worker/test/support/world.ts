import { DEFAULT_DATABASE_POOL } from '@image-gateway/shared/config';
import { createDatabase, type Database } from '@image-gateway/shared/db';
import { createLogger, type Logger } from '@image-gateway/shared/logging';
import { createMetrics, type Metrics } from '@image-gateway/shared/metrics';
import { createObjectStore, type ObjectStore } from '@image-gateway/shared/storage';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  createTestTask,
  eventually,
  type TestTaskOptions,
  testBucket,
} from '@image-gateway/testing';
import { composeWorker, type GenerationWorker } from '../../src/compose.js';
import { readSettings, type Settings } from '../../src/env.js';
import type { HostBounds } from '../../src/inputs/create-host-limits.js';
import type { JobPace } from '../../src/providers/follow-job.js';
import type { Router } from '../../src/routing/create-router.js';

/** A task as the tests look at it. */
export type TaskNow = Record<'status' | 'phase', string> &
  Record<'attempt' | 'tries' | 'stored_count' | 'call_count' | 'num_outputs', number> & {
    readonly error: string | null;
    readonly cost_micros: string;
    readonly due_at: Date;
  };

/** Real services for one test file, and workers on them. */
export type World = Awaited<ReturnType<typeof createWorld>>;

/** Parts of a worker that a test may replace. */
export interface StartParts {
  readonly settings?: Readonly<Record<string, string>>;
  readonly store?: ObjectStore;
  readonly db?: (db: Database) => Database;
  readonly hostBounds?: HostBounds;
  readonly jobPace?: JobPace;
  readonly decoderPath?: string;
}

/** A worker in this process. */
export interface TestWorker extends GenerationWorker {
  readonly metrics: Metrics;
  readonly settings: Settings;
  /** As at SIGTERM. */
  readonly stop: (graceMs?: number) => Promise<void>;
}

const RELEASED_MS = 3_000;

/** Sets the world up: a database, a bucket, a queue of its own and an account with money. */
export async function createWorld() {
  const test = await createTestDatabase();
  const { url: redisUrl } = await createTestRedis();
  const bucket = testBucket();
  const store = createObjectStore({ ...bucket, timeoutMs: 30_000 });
  await store.ensureBucket();
  const account = await createTestAccount(test, { balanceMicros: 1_000_000_000n });
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    service: 'test',
    level: 'debug',
    write: (line) => void lines.push(JSON.parse(line)),
  });
  const workers: TestWorker[] = [];
  const sql = async <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    (await test.pool.query(text, values)).rows as Row[];
  const task = async (id: string) =>
    (await sql('SELECT * FROM tasks WHERE id = $1', [id]))[0] as unknown as TaskNow;
  /** The settings of a worker on these services, as environment variables. */
  const env = {
    DATABASE_URL: test.url,
    REDIS_URL: redisUrl,
    S3_ENDPOINT: bucket.endpoint,
    S3_BUCKET: bucket.bucket,
    S3_ACCESS_KEY: bucket.accessKey,
    S3_SECRET_KEY: bucket.secretKey,
    PROVIDERS: 'sandbox',
    FILE_URL: 'http://gateway.test/files',
    RETRY_BACKOFF: '0.05',
    SWEEP_MS: '200',
  };
  return {
    test,
    store,
    account,
    lines,
    sql,
    task,
    env,
    redisUrl,
    /** Starts a worker with the router, or with the providers that its settings name. */
    start: (router: Router | null, parts: StartParts = {}): TestWorker => {
      const settings = readSettings({ ...env, ...parts.settings });
      const worker = startWorker({ settings, router, store, logger }, parts);
      workers.push(worker);
      return worker;
    },
    submit: async (
      request: TestTaskOptions['request'] = {},
      options: Omit<TestTaskOptions, 'request'> = {},
    ) => (await createTestTask(test.db, account, { request, ...options })).id,
    /** Waits until the task has ended. */
    ended: (id: string, timeoutMs?: number) =>
      eventually(
        async () => {
          const now = await task(id);
          if (now.status === 'pending') {
            throw new Error(`still pending: ${JSON.stringify(now)}`);
          }
          return now;
        },
        { timeoutMs },
      ),
    calls: (id: string) =>
      sql<{ state: string; detail: string | null; slots: number[]; provider: string }>(
        'SELECT state, detail, slots, provider FROM provider_calls WHERE task_id = $1 ORDER BY created_at, id',
        [id],
      ),
    outputs: (id: string) =>
      sql<{ index: number; slot: number; key: string; sha256: string }>(
        'SELECT index, slot, key, sha256 FROM task_outputs WHERE task_id = $1 ORDER BY index',
        [id],
      ),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
      store.close();
      await test.close();
    },
  };
}

function startWorker(
  { router, ...services }: { settings: Settings; router: Router | null; store: ObjectStore; logger: Logger },
  { settings: _, db: wrap, ...replaced }: StartParts,
): TestWorker {
  const { settings } = services;
  const metrics = createMetrics('test');
  const db = createDatabase({
    url: settings.DATABASE_URL,
    applicationName: 'worker',
    max: DEFAULT_DATABASE_POOL.worker,
    onIdleError: () => undefined,
  });
  const worker = composeWorker({
    ...services,
    metrics,
    ...(router && { router }),
    ...replaced,
    db: wrap?.(db) ?? db,
    queueStuckAfterMs: 60_000,
  });
  let stopped: Promise<void> | undefined;
  const stopOnce = async (graceMs: number): Promise<void> => {
    worker.stopIntake();
    await worker.finishWork(graceMs);
    // A fifth of a short grace time is little for giving tasks back on a busy machine; what it leaves waits for its lease.
    await worker.finishWork(RELEASED_MS);
    await worker.disconnect(500);
    await db.close();
  };
  return {
    ...worker,
    metrics,
    settings,
    stop: (graceMs = 300) => {
      stopped ??= stopOnce(graceMs);
      return stopped;
    },
  };
}
