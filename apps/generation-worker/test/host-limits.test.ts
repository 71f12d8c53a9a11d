import { createTestAccount, createTestTask, eventually, freePort } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { HostBounds } from '../src/inputs/create-host-limits.js';
import { type ImageServer, startImageServer } from './support/image-server.js';
import { deliver, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { createWorld, type World } from './support/world.js';

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
  await world.test.checkInvariants('rest');
  await world.close();
});
afterAll(() => images.close());

/** Starts two workers with bounds of their own for each host. */
const startTwo = (hostBounds: HostBounds, settings: Readonly<Record<string, string>> = {}): void => {
  for (let worker = 0; worker < 2; worker++)
    world.start(routerOver(scriptedProvider(deliver)), {
      hostBounds,
      settings: { OUTBOUND_ALLOW: images.hostPort, ...settings },
    });
};
const edit = (speed: 'quick' | 'slow', name: string, count: number): Promise<string> =>
  world.submit({ image_urls: Array.from({ length: count }, (_, n) => images.urlOf(speed, `${name}-${n}`)) });
const GENEROUS = { atATime: 1_000, perMinute: 100_000 };

describe('downloads of input images from one host', () => {
  test('are bounded at a time over all workers, an account has half, and what waits is fetched later', async () => {
    const ids = await Promise.all(['a', 'b', 'c', 'd'].map((name) => edit('slow', name, 4)));
    startTwo({ ...GENEROUS, atATime: 6 });
    await eventually(async () => expect(images.waiting()).toBe(3));
    const other = await createTestAccount(world.test);
    const request = { image_urls: ['a', 'b', 'c', 'd'].map((name) => images.urlOf('slow', name)) };
    const { id } = await createTestTask(world.test.db, other, { request });
    await eventually(async () => expect(images.waiting()).toBe(6));
    expect(images.maxWaiting()).toBe(6);
    images.open();
    for (const one of [...ids, id])
      expect(await world.ended(one, 30_000)).toMatchObject({ status: 'completed', tries: 0 });
  });

  test('are bounded a minute over all workers, and the tasks that wait are given back without a try', async () => {
    const before = images.total();
    const startedAt = Date.now();
    const ids = await Promise.all(Array.from({ length: 6 }, (_, n) => edit('quick', `rate-${n}`, 8)));
    startTwo({ ...GENEROUS, perMinute: 40 });
    // Half of it at once, and one more in 3 s.
    await eventually(async () => expect(images.total() - before).toBeGreaterThan(21), { timeoutMs: 20_000 });
    expect(images.total() - before).toBeLessThanOrEqual(20 + Math.ceil((Date.now() - startedAt) / 3_000));
    await world.sql("UPDATE tasks SET deadline_at = now() WHERE status = 'pending'");
    for (const one of ids) expect((await world.ended(one)).tries).toBe(0);
  });

  test('count where a redirect leads, and for each process alone without Redis', async () => {
    const redis = { REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
    const ids = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) =>
        world.submit({
          image_urls: [0, 1].map((n) => images.redirectTo(images.urlOf('slow', `to-${name}-${n}`))),
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
    for (const one of ids) expect((await world.ended(one, 30_000)).status).toBe('completed');
    expect(images.maxWaiting()).toBe(2);
  });
});
