import { Redis } from 'ioredis';
import { testServices } from './test-services.js';

/** A Redis database of the Jest worker's own. */
export type TestRedis = Awaited<ReturnType<typeof createTestRedis>>;

/** The Redis database of this Jest worker, emptied; a worker runs one test file at a time. */
export async function createTestRedis() {
  const url = testServices().redisUrl;
  const flush = async (): Promise<void> => {
    const client = new Redis(url);
    try {
      await client.flushdb();
    } finally {
      client.disconnect();
    }
  };
  await flush();
  return { url, flush };
}
