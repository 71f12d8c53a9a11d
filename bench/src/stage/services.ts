import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { startTestServices } from '@image-gateway/local-stack';
import { setSessionDefaults } from '@image-gateway/shared/db';
import { Redis } from 'ioredis';
import pg from 'pg';
import { findParent } from './measure-usage.js';
import { runToEnd } from './run-to-end.js';

/** PostgreSQL, Redis and an object store, and which processes they are. */
export interface Services {
  readonly redisUrl: string;
  readonly s3: { readonly endpoint: string; readonly accessKey: string; readonly secretKey: string };
  readonly postgresPid: number;
  readonly redisPid: number;
  /** Makes an empty database and gives its URL; another checkout's, when it is named, with the schema of that checkout. */
  readonly createDatabase: (checkout?: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the services durably: every commit is on disk before it counts. A `BENCH_DATABASE_URL` (superuser) is used instead of
 * the embedded PostgreSQL.
 */
export async function startServices(root: string, signal: AbortSignal): Promise<Services> {
  const { env, stop } = await startTestServices({
    wanted: new Set(['postgres', 'redis', 's3']),
    cacheDir: path.join(root, '.cache'),
    out: process.stderr,
    signal,
    durable: true,
  });
  const adminUrl = process.env.BENCH_DATABASE_URL ?? env.TEST_DATABASE_URL ?? '';
  const redisUrl = env.TEST_REDIS_URL ?? '';
  const made: string[] = [];
  const asAdmin = async <T>(work: (admin: pg.Client) => Promise<T>): Promise<T> => {
    const admin = new pg.Client({ connectionString: adminUrl });
    await admin.connect();
    try {
      return await work(admin);
    } finally {
      await admin.end();
    }
  };
  const buildUrl = (name: string): string => Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
  const templates = new Map<string, Promise<string>>();
  const getTemplate = (checkout: string): Promise<string> => {
    const template = templates.get(checkout) ?? createTemplate(checkout);
    templates.set(checkout, template);
    return template;
  };
  const createTemplate = async (checkout: string): Promise<string> => {
    const template = `bench_template_${randomBytes(4).toString('hex')}`;
    await asAdmin((admin) => admin.query(`CREATE DATABASE ${template}`));
    made.push(template);
    await runToEnd(process.execPath, ['apps/api/dist/cli/main.js', 'migrate'], {
      cwd: checkout,
      env: { ...process.env, DATABASE_URL: buildUrl(template) },
    });
    return template;
  };
  const backend = await asAdmin((admin) =>
    admin
      .query<{ pid: number }>('SELECT pg_backend_pid() AS pid, pg_sleep(0)')
      .then(({ rows }) => findParent(rows[0]?.pid ?? 0)),
  );
  const redis = new Redis(redisUrl);
  const redisPid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  redis.disconnect();
  return {
    redisUrl,
    s3: {
      endpoint: env.TEST_S3_ENDPOINT ?? '',
      accessKey: env.TEST_S3_ACCESS_KEY ?? '',
      secretKey: env.TEST_S3_SECRET_KEY ?? '',
    },
    postgresPid: backend,
    redisPid,
    createDatabase: async (checkout = root) => {
      const template = await getTemplate(checkout);
      const name = `bench_${randomBytes(6).toString('hex')}`;
      await asAdmin((admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
      made.push(name);
      await setSessionDefaults(buildUrl(name));
      return buildUrl(name);
    },
    stop: async () => {
      await asAdmin(async (admin) => {
        for (const name of made) {
          await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
        }
      }).catch((error: unknown) => console.error('databases of the bench may be left:', error));
      await stop();
    },
  };
}
