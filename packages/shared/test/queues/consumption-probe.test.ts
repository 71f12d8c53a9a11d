import { eventually, startRelay } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLogger } from '../../src/runtime/logging/index.js';
import {
  createConsumer,
  createConsumptionProbe,
  createProducer,
  createRedis,
} from '../../src/runtime/queues/index.js';
import { type OwnRedis, ownRedis } from './own-redis.js';

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
const prefix = '{test}';
const hints = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    taskId: `gen_${String(n).padStart(22, '0')}`,
    attempt: 0,
    traceId: 'req_1',
  }));

describe('the consumption probe', () => {
  let server: OwnRedis;
  beforeAll(async () => {
    server = await ownRedis();
    await server.start();
  });
  afterAll(() => server.dispose());

  test('the consumption probe sees a consumer whose connections hang while Redis answers, and does not bark at a healthy one', async () => {
    const relay = await startRelay(server.url);
    const redis = createRedis({ url: server.url, mode: 'fail-fast', name: 'test', logger });
    const producer = createProducer({ redis, prefix });
    let taken = 0;
    const consumer = createConsumer({
      queue: 'generation',
      handlers: { generation: async () => (taken += 1) },
      redisUrl: relay.url,
      concurrency: 4,
      logger,
      prefix,
    });
    const probe = createConsumptionProbe({ consumer, stuckAfterMs: 500 });
    const healthy: boolean[] = [];
    await eventually(() => expect(consumer.isReady()).toBe(true));
    await producer.add('generation', hints(50));
    await eventually(async () => {
      healthy.push(await probe());
      expect(taken).toBe(50);
    });

    relay.fallSilent({ except: 'generation-probe' });
    await producer.add('generation', hints(3));
    expect(await probe()).toBe(false);
    await eventually(async () => expect(await probe()).toBe(true), { everyMs: 100 });
    expect(consumer.activeCount()).toBe(0);
    expect(healthy).not.toContain(true);

    expect(await consumer.close(500)).toBe('forced');
    await producer.close();
    redis.disconnect();
    await relay.close();
  });
});
