import { createServer } from 'node:net';
import { eventually, listen } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Redis } from 'ioredis';
import { createLogger } from '../../src/runtime/logging/index.js';
import {
  createConsumer,
  createProducer,
  createRedis,
  type GenerationJob,
  LOWEST_PRIORITY,
  type Producer,
} from '../../src/runtime/queues/index.js';
import { inTime } from '../in-time.js';
import { type OwnRedis, ownRedis } from './own-redis.js';

const lines: string[] = [];
const logger = createLogger({ service: 'test', level: 'debug', write: (line) => void lines.push(line) });
const hint = (n: number, attempt = 0): GenerationJob => ({
  taskId: `gen_${String(n).padStart(22, '0')}`,
  attempt,
  traceId: 'req_1',
});

describe('the producer', () => {
  let server: OwnRedis;
  let redis: Redis;
  let producer: Producer;
  let failures: string[];

  const open = (url = server.url): void => {
    redis = createRedis({ url, mode: 'fail-fast', name: 'test', logger });
    producer = createProducer({
      redis,
      prefix: '{test}',
      onFailure: ({ error }) => failures.push(error.message),
    });
  };
  const add = (n: number, withinMs = 1_200) => inTime(withinMs, producer.add('generation', [hint(n)]));
  const waiting = () => server.command('llen', '{test}:generation:wait');

  beforeAll(async () => {
    server = await ownRedis();
  });
  beforeEach(async () => {
    failures = [];
    lines.length = 0;
    await server.start();
  });
  afterEach(async () => {
    await producer.close();
    redis.disconnect();
    await server.kill();
  });
  afterAll(() => server.dispose());

  test('the producer adds all hints at once, and the same hint twice is one job', async () => {
    open();
    const hints = Array.from({ length: 500 }, (_, n) => hint(n));
    expect(await producer.add('generation', hints)).toBe('queued');
    expect(await producer.add('generation', [hint(1), hint(2), hint(2, 1)])).toBe('queued');
    expect(await waiting()).toBe(501);
    expect(await server.command('hget', `{test}:generation:${hint(2).taskId}-1`, 'data')).toBe(
      JSON.stringify(hint(2, 1)),
    );
    expect(failures).toEqual([]);
  });

  test('a delayed hint waits its time, and no hints are no work', async () => {
    open();
    expect(await producer.add('generation', [hint(1)], { delayMs: 60_000 })).toBe('queued');
    expect(await producer.add('generation', [])).toBe('queued');
    expect(await server.command('zcard', '{test}:generation:delayed')).toBe(1);
    expect(await waiting()).toBe(0);
  });

  test('hints are taken in turns, those without one before all, and all count as waiting', async () => {
    open();
    const hints = [1, 2, 3, 4, 5].map((n) => hint(n));
    expect(await producer.add('generation', hints, { turns: [3, LOWEST_PRIORITY, 1, 3, 2] })).toBe('queued');
    expect(await producer.add('generation', [hint(6)])).toBe('queued');
    expect(await producer.waitingCount('generation')).toBe(6);
    const taken: string[] = [];
    const consumer = createConsumer({
      queue: 'generation',
      redisUrl: server.url,
      prefix: '{test}',
      concurrency: 1,
      logger,
      handlers: { generation: async ({ taskId }) => void taken.push(taskId) },
    });
    await eventually(() => expect(taken).toHaveLength(6));
    await consumer.close(100);
    expect(taken).toEqual([6, 3, 5, 1, 4, 2].map((n) => hint(n).taskId));
  });

  test('Redis absent at boot costs one second once, then nothing, and it works when Redis comes', async () => {
    await server.kill();
    open();
    expect(await add(1)).toBe('unavailable');
    expect(await add(2, 100)).toBe('unavailable');
    await server.start();
    await eventually(async () => expect(await add(3)).toBe('queued'));
    expect(failures.length).toBeGreaterThanOrEqual(2);
  });

  test('a Redis that dies and comes back costs no caller more than a second', async () => {
    open();
    expect(await add(1)).toBe('queued');
    await server.kill();
    for (let n = 2; n < 6; n += 1) {
      expect(await add(n)).toBe('unavailable');
    }
    await server.start();
    await eventually(async () => expect(await add(9)).toBe('queued'));
  });

  test('a frozen Redis costs a second at first and soon nothing, and it works again when it thaws', async () => {
    open();
    expect(await add(1)).toBe('queued');
    server.freeze();
    expect(await add(2)).toBe('unavailable');
    await eventually(() => add(3, 100), { timeoutMs: 15_000 });
    server.thaw();
    await eventually(async () => expect(await add(4)).toBe('queued'));
  });

  test('a Redis that refuses writes is reported as unavailable, and looked for anew', async () => {
    open();
    let reconnected = 0;
    redis.on('reconnecting', () => (reconnected += 1));
    expect(await add(1)).toBe('queued');
    await server.command('replicaof', '127.0.0.1', '1');
    expect(await add(2)).toBe('unavailable');
    await eventually(() => expect(reconnected).toBeGreaterThan(0));
    await server.command('replicaof', 'no', 'one');
    await eventually(async () => expect(await add(3)).toBe('queued'));
    expect(failures.join()).toMatch(/READONLY/);
  });

  test('a Redis without memory is reported as unavailable', async () => {
    open();
    expect(await add(1)).toBe('queued');
    await server.command('config', 'set', 'maxmemory', '1');
    expect(await add(2)).toBe('unavailable');
    await server.command('config', 'set', 'maxmemory', '0');
    expect(await add(3)).toBe('queued');
    expect(failures.join()).toMatch(/OOM/);
  });

  test('something that is no Redis at all is unavailable, quietly', async () => {
    const garbage = await listen(
      createServer((socket) => socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))),
    );
    open(`redis://${garbage.hostPort}`);
    for (let n = 0; n < 3; n += 1) {
      expect(await add(n)).toBe('unavailable');
    }
    redis.disconnect();
    await garbage.close();
    expect(lines.length).toBeLessThan(6);
  });

  test('a thousand adds at once against a frozen Redis all end in time', async () => {
    open();
    await add(0);
    server.freeze();
    // One after the other they would take a thousand seconds.
    const all = await Promise.all(Array.from({ length: 1_000 }, (_, n) => add(n + 1, 20_000)));
    server.thaw();
    expect(all.filter((outcome) => outcome !== 'unavailable')).toEqual([]);
  });
});
