import { createLogger } from '@image-gateway/shared/logging';
import { createRedis } from '@image-gateway/shared/queues';
import { createTestAccount, createTestTask, eventually, freePort } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { HostBounds } from '../src/inputs/create-host-limits.js';
import { type ImageServer, startImageServer } from './support/image-server.js';
import { deliver, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { createWorld, type TestWorker, type World } from './support/world.js';

let world: World;
let images: ImageServer;

beforeAll(async () => {
  images = await startImageServer();
});
beforeEach(async () => {
  images.holdBack();
  world = await createWorld();
});
afterEach(async () => {
  await world.test.checkInvariants('rest').finally(closeWorld);
});
afterAll(() => images.close());

/** Starts workers with bounds of their own for each host, and waits until Redis has their connections. */
async function startWorkers(count: number, hostBounds: HostBounds): Promise<TestWorker[]> {
  const settings = { OUTBOUND_ALLOW: images.hostPort };
  const workers = Array.from({ length: count }, () =>
    world.start(routerOver(scriptedProvider(deliver)), { hostBounds, settings }),
  );
  const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
  const redis = createRedis({ url: world.redisUrl, mode: 'patient', name: 'test', logger });
  const ours = new RegExp(`^(?=.* name=generation-producer )(?=.* db=${redis.options.db} ).*$`, 'gm');
  try {
    await eventually(async () =>
      expect(String(await redis.client('LIST')).match(ours) ?? []).toHaveLength(count),
    );
  } finally {
    redis.disconnect();
  }
  return workers;
}

/** Ends downloads that wait, then the workers. */
async function closeWorld(): Promise<void> {
  images.open();
  await world.close();
  await eventually(() => expect(images.waiting()).toBe(0));
}

/**
 * Runs a check of the limits over all workers. A process that stood still for half a second decides about limits by itself, as
 * without Redis. Such a run proves nothing, and the check runs once more in a new world.
 */
async function whileRedisDecides(check: (note: (workers: TestWorker[]) => void) => Promise<void>) {
  for (let triesLeft = 4; ; triesLeft--) {
    const workers: TestWorker[] = [];
    try {
      await check((started) => workers.push(...started));
      return;
    } catch (error) {
      const counts = await Promise.all(workers.map(({ metrics }) => metrics.limiterFallbacks.get()));
      const fallbacks = counts.flatMap(({ values }) => values).reduce((sum, { value }) => sum + value, 0);
      if (fallbacks === 0 || triesLeft === 0) {
        throw error;
      }
      await closeWorld();
      images.holdBack();
      world = await createWorld();
    }
  }
}
const edit = (speed: 'quick' | 'slow', name: string, count: number): Promise<string> =>
  world.submit({ image_urls: Array.from({ length: count }, (_, n) => images.getUrl(speed, `${name}-${n}`)) });
const GENEROUS = { atATime: 1_000, perMinute: 100_000 };

describe('host limits', () => {
  test(
    'downloads of input images from one host are bounded at a time over all workers, an account has half, and what waits is fetched later',
    () =>
      whileRedisDecides(async (note) => {
        note(await startWorkers(2, { ...GENEROUS, atATime: 6 }));
        const ids = await Promise.all(['a', 'b', 'c', 'd'].map((name) => edit('slow', name, 4)));
        await eventually(async () => expect(images.waiting()).toBe(3));
        // Two more accounts: where one worker has all tasks, its memory for images that are loaded leaves a second account two at a time.
        for (const other of [await createTestAccount(world.test), await createTestAccount(world.test)]) {
          const image_urls = ['a', 'b', 'c', 'd'].map((name) => images.getUrl('slow', `${other.id}-${name}`));
          ids.push((await createTestTask(world.test.db, other, { request: { image_urls } })).id);
        }
        await eventually(async () => expect(images.waiting()).toBe(6));
        expect(images.maxWaiting()).toBe(6);
        images.open();
        for (const one of ids) {
          expect(await world.ended(one, 60_000)).toMatchObject({ status: 'completed', tries: 0 });
        }
      }),
    300_000,
  );

  test(
    'downloads of input images from one host are bounded a minute over all workers, and the tasks that wait are released without a try',
    () =>
      whileRedisDecides(async (note) => {
        const before = images.total();
        const startedAt = Date.now();
        note(await startWorkers(2, { ...GENEROUS, perMinute: 40 }));
        const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => edit('quick', `rate-${n}`, 8)));
        // Half of it at once, and one more in 3 s.
        await eventually(async () => expect(images.total() - before).toBeGreaterThan(21), {
          timeoutMs: 60_000,
        });
        expect(images.total() - before).toBeLessThanOrEqual(20 + Math.ceil((Date.now() - startedAt) / 3_000));
        await world.sql("UPDATE tasks SET deadline_at = now() WHERE status = 'pending'");
        for (const one of ids) {
          expect((await world.ended(one, 60_000)).tries).toBe(0);
        }
      }),
    300_000,
  );

  test('downloads of input images from one host count where a redirect leads, and for each process alone without Redis', async () => {
    const redis = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    const ids = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) =>
        world.submit({
          image_urls: [0, 1].map((n) => images.redirectTo(images.getUrl('slow', `to-${name}-${n}`))),
        }),
      ),
    );
    world.start(routerOver(scriptedProvider(deliver)), {
      hostBounds: { ...GENEROUS, atATime: 4 },
      settings: { OUTBOUND_ALLOW: `${images.hostPort},${images.redirectHostPort}`, ...redis },
    });
    await eventually(async () => expect(images.waiting()).toBe(2));
    expect(images.maxWaiting()).toBe(2);
    images.open();
    for (const one of ids) {
      expect((await world.ended(one, 60_000)).status).toBe('completed');
    }
    expect(images.maxWaiting()).toBe(2);
  });
});
