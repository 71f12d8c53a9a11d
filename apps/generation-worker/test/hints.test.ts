import { createLogger } from '@image-gateway/shared/logging';
import {
  createProducer,
  createRedis,
  DEFAULT_PREFIX,
  subscribeToTaskEnds,
} from '@image-gateway/shared/queues';
import { eventually, freePort } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { deliver, failing, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';
import type { StartParts, TestWorker } from './support/world.js';

const world = useWorld();
let worker: TestWorker | undefined;

function start(parts: StartParts = {}, script = deliver as Parameters<typeof scriptedProvider>[0]) {
  const provider = scriptedProvider(script);
  worker = world.start(routerOver(provider), parts);
  return provider;
}
const hint = async (taskIds: readonly string[]) => {
  const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
  const redis = createRedis({ url: world.redisUrl, mode: 'fail-fast', name: 'test', logger });
  const producer = createProducer({ redis });
  const payloads = taskIds.map((taskId, attempt) => ({ taskId, attempt, traceId: 'test' }));
  expect(await producer.add('generation', payloads)).toBe('queued');
  await producer.close();
  redis.disconnect();
};

const readHint = async (queue: string, jobId: string): Promise<unknown> => {
  const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
  const redis = createRedis({ url: world.redisUrl, mode: 'patient', name: 'test', logger });
  const data = await redis.hget(`${DEFAULT_PREFIX}:${queue}:${jobId}`, 'data');
  redis.disconnect();
  return JSON.parse(data ?? 'null');
};

describe('hints', () => {
  test('hints bring a task at once, long before any sweep would', async () => {
    start({ settings: { SWEEP_MS: '60000' } });
    await world.ended(await world.submit());
    const id = await world.submit();
    await hint([id]);
    expect((await world.ended(id, 3_000)).status).toBe('completed');
  });

  test('twenty for one task: it runs once', async () => {
    const provider = start();
    const id = await world.submit();
    await hint(Array.from({ length: 20 }, () => id));
    expect(await world.ended(id)).toMatchObject({ attempt: 1, call_count: 1, cost_micros: '10000' });
    expect(provider.requests).toHaveLength(1);
  });

  test('hints for tasks that are not there, or have ended, are forgotten', async () => {
    start();
    const id = await world.submit();
    await world.ended(id);
    await hint([id, 'gen_0000000000000000000000']);
    expect((await world.ended(await world.submit())).status).toBe('completed');
  });

  test('hints of the end of a task reach everyone who listens', async () => {
    start();
    const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
    const redis = createRedis({ url: world.redisUrl, mode: 'fail-fast', name: 'test', logger });
    const heard: string[] = [];
    subscribeToTaskEnds(redis, { prefix: '{gw}', onEnd: (taskId) => heard.push(taskId) });
    await eventually(async () => {
      const id = await world.submit();
      await world.ended(id);
      expect(heard).toContain(id);
    });
    redis.disconnect();
  });

  test('at a webhook go out when its task ends, with the id of the delivery', async () => {
    start();
    const id = await world.submit({ webhook_url: 'https://customer.example/hook' });
    await world.ended(id);
    const [delivery] = await world.sql('SELECT id, state FROM webhook_deliveries WHERE task_id = $1', [id]);
    expect(delivery?.state).toBe('pending');
    await eventually(async () =>
      expect(await readHint('webhook', `${delivery?.id}-0`)).toMatchObject({ attempt: 0 }),
    );
  });

  test('hints that were lost are renewed by the sweep', async () => {
    start({ settings: { SWEEP_MS: '100' } }, failing('overload'));
    const id = await world.submit();
    expect((await world.ended(id)).attempt).toBe(3);
    expect(await worker?.metrics.registry.metrics()).toContain('gateway_sweeps_total');
  });
});

describe('without Redis', () => {
  test('tasks are claimed straight from the database, also every further try, and within seconds', async () => {
    const port = await freePort();
    const provider = start(
      { settings: { REDIS_URL: `redis://127.0.0.1:${port}`, SWEEP_MS: '5000' } },
      async function* (request, call) {
        if (call === 0) {
          yield* failing('overload')(request, call, new AbortController().signal);
        }
        yield* deliver(request);
      },
    );
    const id = await world.submit();
    expect(await world.ended(id, 8_000)).toMatchObject({ status: 'completed', tries: 1 });
    expect(provider.requests).toHaveLength(2);
    const many = await Promise.all(Array.from({ length: 40 }, () => world.submit()));
    await Promise.all(many.map((one) => world.ended(one, 15_000)));
    await eventually(() => expect(provider.requests).toHaveLength(42));
  });
});
