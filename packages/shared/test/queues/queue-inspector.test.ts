import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLogger } from '../../src/runtime/logging/index.js';
import { createConsumer, createQueueInspector, createRedis } from '../../src/runtime/queues/index.js';
import { type OwnRedis, ownRedis } from './own-redis.js';

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
let server: OwnRedis;

beforeAll(async () => {
  server = await ownRedis();
  await server.start();
});
afterAll(() => server.dispose());

test('the inspector counts who takes from a queue, and not those of the same queue in another database of the server', async () => {
  const buildUrl = (db: number) => `${server.url.replace(/\/\d*$/, '')}/${db}`;
  const consumer = createConsumer({
    queue: 'generation',
    redisUrl: buildUrl(1),
    concurrency: 1,
    logger,
    handlers: { generation: () => Promise.resolve() },
  });
  const consumersIn = async (db: number): Promise<number | undefined> => {
    const redis = createRedis({ url: buildUrl(db), mode: 'fail-fast', name: 'test', logger });
    const inspector = createQueueInspector({ redis });
    try {
      return await eventually(async () => {
        const look = await inspector.look('generation');
        if (!look) {
          throw new Error('no answer yet');
        }
        return look.consumers;
      });
    } finally {
      await inspector.close();
      redis.disconnect();
    }
  };
  await eventually(async () => expect(await consumersIn(1)).toBe(1));
  expect(await consumersIn(0)).toBe(0);
  await consumer.close(100);
});
