import { createLogger } from '@image-gateway/shared/logging';
import { createRedis } from '@image-gateway/shared/queues';
import { eventually, testServices } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ REDIS_PREFIX: 'second', RATE_LIMIT_KEY: '600/60' });
});
afterAll(() => api.stop());

test('every key of a gateway in Redis begins with its prefix, so that another gateway may use the same Redis', async () => {
  const logger = createLogger({ service: 'test', level: 'error' });
  const redis = createRedis({ url: testServices().redisUrl, mode: 'fail-fast', name: 'test', logger });
  const account = await api.account();
  const body = { model: 'nanobanana', prompt: 'a fox' };
  await eventually(async () => expect((await api.call('/readyz')).json.data.redis).toBe('ok'));
  expect((await api.call('/v1/generate', { as: account, body })).status).toBe(202);
  await eventually(async () => {
    const keys = await redis.keys('*');
    expect(keys.filter((key) => !key.startsWith('{second}:'))).toEqual([]);
    expect(keys.some((key) => key.startsWith('{second}:limit:'))).toBe(true);
    expect(keys.some((key) => key.startsWith('{second}:generation:'))).toBe(true);
  });
  redis.disconnect();
});
