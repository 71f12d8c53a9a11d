import path from 'node:path';
import { startTestServices } from '@image-gateway/local-stack';
import { createTestDatabase, repositoryRoot, type TestDatabase } from '@image-gateway/testing';
import { redisCommand } from './redis-command.js';

/** PostgreSQL, Redis and an object store of the laboratory's own, as the product and the laboratory reach them. */
export interface LabServices {
  readonly database: TestDatabase;
  readonly redisUrl: string;
  readonly s3: { readonly url: string; readonly accessKey: string; readonly secretKey: string };
  readonly signal: (service: 'postgres' | 'redis' | 's3', signal: NodeJS.Signals) => void;
  readonly getPid: (service: 'postgres' | 'redis' | 's3') => number;
  readonly redis: (...command: string[]) => Promise<string>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts them with data that is thrown away at the end; each is started again when it dies. Nothing waits for the disk,
 * which no killed process needs, but PostgreSQL hands every commit to the system before it answers, as in earnest. Redis
 * keeps nothing at all when it is killed.
 */
export async function startServices(signal: AbortSignal): Promise<LabServices> {
  const services = await startTestServices({
    wanted: new Set(['postgres', 'redis', 's3']),
    cacheDir: path.join(repositoryRoot(), '.cache'),
    out: process.stderr,
    signal,
  });
  Object.assign(process.env, services.env);
  const {
    TEST_REDIS_URL = '',
    TEST_S3_ENDPOINT = '',
    TEST_S3_ACCESS_KEY = '',
    TEST_S3_SECRET_KEY = '',
  } = services.env;
  const database = await createTestDatabase();
  const { pathname } = new URL(database.url);
  await database.pool.query(`ALTER DATABASE ${pathname.slice(1)} SET synchronous_commit = on`);
  const getPid = (service: 'postgres' | 'redis' | 's3'): number => {
    const pid = services.getPid(service);
    if (pid === undefined) {
      throw new Error(`${service} is not running`);
    }
    return pid;
  };
  return {
    database,
    redisUrl: TEST_REDIS_URL,
    s3: { url: TEST_S3_ENDPOINT, accessKey: TEST_S3_ACCESS_KEY, secretKey: TEST_S3_SECRET_KEY },
    signal: (service, name) => void process.kill(getPid(service), name),
    getPid,
    redis: (...command) => redisCommand(TEST_REDIS_URL, command),
    stop: async () => {
      await database.close().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
      await services.stop();
    },
  };
}
