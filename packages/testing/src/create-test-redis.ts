import { Redis } from 'ioredis';
import { testSetting } from './test-setting.js';

export interface TestRedis {
  /** Log-in to a database index that no other Jest worker uses. */
  url: string;
  flush(): Promise<void>;
}

/** An empty Redis database of this Jest worker; a worker runs one test file at a time. */
export async function createTestRedis(): Promise<TestRedis> {
  const url = new URL(testSetting('TEST_REDIS_URL'));
  url.pathname = `/${Number(process.env.JEST_WORKER_ID ?? '1')}`;
  const flush = async (): Promise<void> => {
    const client = new Redis(url.href);
    try {
      await client.flushdb();
    } finally {
      client.disconnect();
    }
  };
  await flush();
  return { url: url.href, flush };
}
