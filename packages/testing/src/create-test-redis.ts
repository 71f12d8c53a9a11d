import { Redis } from 'ioredis';
import { testServices } from './test-services.js';

/** A Redis database of the Jest worker's own. */
export interface TestRedis {
  readonly url: string;
  readonly flush: () => Promise<void>;
}

/** The Redis database of this Jest worker, emptied; a worker runs one test file at a time. */
export async function createTestRedis(): Promise<TestRedis> {
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
