import { eventually } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLogger } from '../../src/runtime/logging/index.js';
import {
  type Consumer,
  createConsumer,
  createProducer,
  createRedis,
  type GenerationJob,
  type Producer,
} from '../../src/runtime/queues/index.js';
import { type OwnRedis, ownRedis } from './own-redis.js';

const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'debug', write: (line) => void lines.push(line) });
const prefix = '{test}';
let next = 0;
const hint = (): GenerationJob => {
  next += 1;
  return {
    taskId: `gen_${String(next).padStart(22, '0')}`,
    attempt: 0,
    traceId: 'req_1',
  };
};

describe('the consumer', () => {
  let server: OwnRedis;
  let redis: Redis;
  let producer: Producer;
  let consumer: Consumer;
  let taken: string[];
  let handle: (job: GenerationJob) => Promise<unknown>;

  const consume = (concurrency = 4) => {
    consumer = createConsumer({
      queue: 'generation',
      handlers: {
        generation: async (job) => {
          taken.push(job.taskId);
          await handle(job);
        },
      },
      redisUrl: server.url,
      concurrency,
      logger,
      prefix,
    });
  };
  const produce = async (job = hint()): Promise<string> => {
    await eventually(async () => expect(await producer.add('generation', [job])).toBe('queued'));
    return job.taskId;
  };
  const consumesOnceMore = async (): Promise<void> => {
    const id = await produce();
    await eventually(() => expect(taken).toContain(id));
  };
  const keysOfJobs = async () =>
    ((await server.command('keys', `${prefix}:generation:gen_*`)) as string[]).length;

  beforeAll(async () => {
    server = await ownRedis();
  });
  beforeEach(async () => {
    taken = [];
    lines.length = 0;
    handle = async () => undefined;
    await server.start();
    redis = createRedis({ url: server.url, mode: 'fail-fast', name: 'test', logger });
    producer = createProducer({ redis, prefix });
  });
  afterEach(async () => {
    server.thaw();
    await consumer.close(500);
    await producer.close();
    redis.disconnect();
    await server.kill();
  });
  afterAll(() => server.dispose());

  test('the consumer takes every hint once, several at a time, and leaves nothing behind', async () => {
    let most = 0;
    handle = async () => {
      most = Math.max(most, consumer.activeCount());
      await new Promise((resolve) => setImmediate(resolve));
    };
    const hints = Array.from({ length: 200 }, hint);
    await producer.add('generation', hints);
    consume(8);
    await eventually(() => expect(taken).toHaveLength(200));
    await eventually(async () => expect(await keysOfJobs()).toBe(0));
    expect(new Set(taken).size).toBe(200);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
    expect(consumer.activeCount()).toBe(0);
    expect(await consumer.waitingCount()).toBe(0);
    expect(consumer.isReady()).toBe(true);
  });

  test('a hint can be given again as soon as the first one ended, also when its handler failed', async () => {
    handle = () => Promise.reject(new Error('boom'));
    consume();
    const job = hint();
    for (const times of [1, 2, 3]) {
      await produce(job);
      await eventually(() => expect(taken).toHaveLength(times));
      await eventually(async () => expect(await keysOfJobs()).toBe(0));
    }
    expect(lines.find((line) => line.includes('boom'))).toContain(`"requestId":"${job.traceId}"`);
  });

  test('what is no hint is dropped without reaching a handler, and the next one is taken', async () => {
    const bad = [
      {},
      null,
      [],
      'x',
      { ...hint(), taskId: 'gen_1;drop' },
      { ...hint(), attempt: -1 },
      { ...hint(), traceId: '' },
    ];
    await producer.add(
      'generation',
      bad.map((data, n) => ({ ...(data as GenerationJob), taskId: `gen_x${n}` })),
    );
    consume();
    await consumesOnceMore();
    await eventually(async () => expect(await keysOfJobs()).toBe(0));
    expect(taken).toHaveLength(1);
  });

  test('the consumer waits for a Redis that is absent at boot', async () => {
    await server.kill();
    consume();
    expect(consumer.isReady()).toBe(false);
    expect(await consumer.waitingCount()).toBeNull();
    await server.start();
    await consumesOnceMore();
    expect(consumer.isReady()).toBe(true);
  });

  test('the consumer goes on after FLUSHALL with one job running and three waiting', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    handle = () => held;
    consume(1);
    for (let n = 0; n < 4; n += 1) {
      await produce();
    }
    await eventually(() => expect(consumer.activeCount()).toBe(1));
    await server.command('flushall');
    release();
    await consumesOnceMore();
    expect(taken).toHaveLength(2);
  });

  test('the consumer goes on after Redis was killed and came back empty', async () => {
    consume();
    await consumesOnceMore();
    for (let round = 0; round < 2; round += 1) {
      await server.kill();
      await eventually(() => expect(consumer.isReady()).toBe(false));
      await server.start();
      await consumesOnceMore();
    }
  });

  test('the consumer goes on after Redis was frozen', async () => {
    consume();
    await consumesOnceMore();
    server.freeze();
    await eventually(async () => expect(await consumer.waitingCount()).toBeNull());
    server.thaw();
    await consumesOnceMore();
  });

  test('the log of a consumer stays short while Redis is in trouble', async () => {
    consume();
    await consumesOnceMore();
    await server.kill();
    const startedAt = performance.now();
    await eventually(() => expect(performance.now() - startedAt).toBeGreaterThan(3_000));
    expect(lines.length).toBeLessThanOrEqual(3 * 10);
  });
});
