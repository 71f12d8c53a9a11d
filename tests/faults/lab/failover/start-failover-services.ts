import path from 'node:path';
import { startTestServices } from '@image-gateway/local-stack';
import { createTestDatabase, repositoryRoot } from '@image-gateway/testing';
import { redisCommand } from '../redis-command.js';
import type { LabServices } from '../start-services.js';
import { openMovingAddress } from './open-moving-address.js';
import { startPostgresPair } from './start-postgres-pair.js';

/** Services whose PostgreSQL is a primary with a standby behind one address. */
export interface FailoverServices extends LabServices {
  /** Kills the primary, and after a while promotes the standby and moves the address to it. */
  readonly failOver: (noticedAfterMs: number) => Promise<void>;
  /** Keeps the standby from receiving anything more. */
  readonly cutStandby: () => Promise<void>;
}

/** Starts them; the laboratory and the product reach PostgreSQL by the moving address only. */
export async function startFailoverServices(
  signal: AbortSignal,
  standbyIs: 'synchronous' | 'asynchronous',
): Promise<FailoverServices> {
  const pair = await startPostgresPair(standbyIs);
  const address = await openMovingAddress(pair.port());
  const services = await startTestServices({
    wanted: new Set(['redis', 's3']),
    cacheDir: path.join(repositoryRoot(), '.cache'),
    out: process.stderr,
    signal,
  });
  Object.assign(process.env, services.env, {
    TEST_DATABASE_URL: `postgresql://postgres@127.0.0.1:${address.port}/postgres`,
  });
  const { TEST_REDIS_URL: redisUrl = '', TEST_S3_ENDPOINT: url = '' } = services.env;
  const { TEST_S3_ACCESS_KEY: accessKey = '', TEST_S3_SECRET_KEY: secretKey = '' } = services.env;
  const database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await database.pool.query(`ALTER DATABASE ${name} SET synchronous_commit = on`);
  const getPid = (service: 'postgres' | 'redis' | 's3'): number =>
    service === 'postgres' ? pair.pid() : (services.getPid(service) ?? 0);
  return {
    database,
    redisUrl,
    s3: { url, accessKey, secretKey },
    signal: (service, what) => void process.kill(getPid(service), what),
    getPid,
    redis: (...command) => redisCommand(redisUrl, command),
    cutStandby: pair.cutStandby,
    failOver: async (noticedAfterMs) => {
      await pair.killPrimary();
      await new Promise((resolve) => setTimeout(resolve, noticedAfterMs));
      await pair.promote();
      address.moveTo(pair.port());
    },
    stop: async () => {
      await database.close().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
      await services.stop();
      await address.close();
      await pair.stop();
    },
  };
}
