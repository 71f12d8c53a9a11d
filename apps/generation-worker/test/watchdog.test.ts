import { createLogger } from '@image-gateway/shared/logging';
import { createProducer, createRedis } from '@image-gateway/shared/queues';
import { eventually, killPrograms, type Program, startProgram, startRelay } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createWorld, type World } from './support/world.js';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterEach(killPrograms);
afterAll(() => world.close());

const startShortLived = (hungAfterMs: number, redisUrl: string): Program =>
  startProgram('apps/generation-worker', ['test/support/short-lived-worker.ts', String(hungAfterMs)], {
    ...world.env,
    REDIS_URL: redisUrl,
    HOST: '127.0.0.1',
    METRICS_PORT: '0',
    SHUTDOWN_GRACE_MS: '1000',
  });
const started = ({ output }: Program) => eventually(() => expect(output()).toContain('"started"'));
const hintAtNothing = async (): Promise<void> => {
  const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
  const redis = createRedis({ url: world.redisUrl, mode: 'fail-fast', name: 'test', logger });
  const producer = createProducer({ redis });
  const hint = { taskId: 'gen_0000000000000000000000', attempt: 0, traceId: 'test' };
  expect(await producer.add('generation', [hint])).toBe('queued');
  await producer.close();
  redis.disconnect();
};

test('a worker that no longer takes its hints ends itself with 1; Redis frozen or absent is no reason, work goes on', async () => {
  const frozenRedis = await startRelay(world.redisUrl);
  const stuckConsumer = await startRelay(world.redisUrl);
  // Workers that must not end reach their limit first.
  const [frozen, absent] = [
    startShortLived(1_000, frozenRedis.url),
    startShortLived(1_000, 'redis://127.0.0.1:1'),
  ];
  const stuck = startShortLived(2_000, stuckConsumer.url);
  await Promise.all([frozen, absent, stuck].map(started));
  frozenRedis.fallSilent();
  stuckConsumer.fallSilent({ except: 'generation-probe' });
  await hintAtNothing();

  expect(await stuck.ended).toEqual({ code: 1, signal: null });
  expect(stuck.output()).toContain('"trouble":"the queue is not consumed"');
  for (const [one, other] of [
    [frozen, absent],
    [absent, frozen],
  ] as const) {
    other.child.kill('SIGSTOP');
    expect((await world.ended(await world.submit({ prompt: 'sandbox:fixed' }))).status).toBe('completed');
    other.child.kill('SIGCONT');
    expect(one.child.exitCode).toBeNull();
  }
  for (const { child, ended } of [frozen, absent]) {
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  }
  await Promise.all([frozenRedis.close(), stuckConsumer.close()]);
});
