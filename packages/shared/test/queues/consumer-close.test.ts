import { eventually } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLogger } from '../../src/runtime/logging/index.js';
import {
  type Consumer,
  createConsumer,
  createProducer,
  createRedis,
  type Producer,
} from '../../src/runtime/queues/index.js';
import { inTime } from '../in-time.js';
import { type OwnRedis, ownRedis } from './own-redis.js';

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
const prefix = '{test}';
const hint = (n: number) => ({ taskId: `gen_${String(n).padStart(22, '0')}`, attempt: 0, traceId: 'req_1' });

describe('closing a consumer', () => {
  let server: OwnRedis;
  let redis: Redis;
  let producer: Producer;
  let consumer: Consumer;
  let release: () => void;
  let ended: number;

  beforeAll(async () => {
    server = await ownRedis();
  });
  beforeEach(async () => {
    await server.start();
    redis = createRedis({ url: server.url, mode: 'fail-fast', name: 'test', logger });
    producer = createProducer({ redis, prefix });
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    ended = 0;
    consumer = createConsumer({
      queue: 'generation',
      handlers: { generation: () => held.then(() => (ended += 1)) },
      redisUrl: server.url,
      concurrency: 2,
      logger,
      prefix,
    });
    await eventually(() => expect(consumer.isReady()).toBe(true));
  });
  afterEach(async () => {
    release();
    server.thaw();
    await consumer.close(100);
    await producer.close();
    redis.disconnect();
    await server.kill();
  });
  afterAll(() => server.dispose());

  const runTwo = async (): Promise<void> => {
    await producer.add('generation', [hint(1), hint(2), hint(3)]);
    await eventually(() => expect(consumer.activeCount()).toBe(2));
  };
  test('an idle one closes at once', async () => {
    expect(await inTime(1_000, consumer.close(10_000))).toBe('drained');
    expect(consumer.isReady()).toBe(false);
  });

  test('running jobs are waited for and end for good, waiting ones stay for others', async () => {
    await runTwo();
    const closing = consumer.close(10_000);
    await expect(inTime(300, closing)).rejects.toThrow('not settled');
    release();
    expect(await closing).toBe('drained');
    expect(ended).toBe(2);
    expect(await server.command('llen', `${prefix}:generation:wait`)).toBe(1);
    expect(await server.command('llen', `${prefix}:generation:active`)).toBe(0);
  });

  test('jobs that take longer than the grace period are left behind in time', async () => {
    await runTwo();
    expect(await inTime(1_300, consumer.close(300))).toBe('forced');
    release();
    await eventually(() => expect(ended).toBe(2));
  });

  test.each([
    ['dead', () => server.kill()],
    ['frozen', async () => server.freeze()],
  ])('with a %s Redis it waits for the running jobs and ends in time', async (_name, breakRedis) => {
    await runTwo();
    await breakRedis();
    const closing = consumer.close(10_000);
    await expect(inTime(300, closing)).rejects.toThrow('not settled');
    release();
    expect(await inTime(2_000, closing)).toBe('forced');
    expect(ended).toBe(2);
  });

  test('one that never reached Redis closes in time', async () => {
    const url = server.url;
    await server.kill();
    const handlers = { generation: async () => undefined };
    const lonely = createConsumer({
      queue: 'generation',
      handlers,
      redisUrl: url,
      concurrency: 1,
      logger,
      prefix,
    });
    expect(await inTime(2_000, lonely.close(10_000))).toBe('forced');
  });

  test('a paused one takes nothing more until it is resumed', async () => {
    release();
    await consumer.pause();
    await producer.add('generation', [hint(1), hint(2), hint(3), hint(4)]);
    // One that was being fetched may still run.
    await eventually(async () => expect(await consumer.waitingCount()).toBeGreaterThanOrEqual(3));
    expect(ended).toBeLessThanOrEqual(1);
    await consumer.resume();
    await eventually(() => expect(ended).toBe(4));
  });
});
