import { createTestAccount, createTestTask, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type ImageServer, startImageServer } from './support/image-server.js';
import { deliver, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { createWorld, type World } from './support/world.js';

let world: World;
let images: ImageServer;
let other: TestAccount;

beforeAll(async () => {
  images = await startImageServer();
});
beforeEach(async () => {
  images.holdBack();
  world = await createWorld();
  other = await createTestAccount(world.test);
});
afterEach(async () => {
  images.open();
  await eventually(async () => {
    const [row] = await world.sql("SELECT count(*)::int AS n FROM tasks WHERE status = 'pending'");
    expect(row?.n).toBe(0);
  });
  await world.test.checkInvariants('rest');
  await world.close();
});
afterAll(() => images.close());

function start(settings: Readonly<Record<string, string>> = {}) {
  const provider = scriptedProvider(deliver);
  const worker = world.start(routerOver(provider), {
    settings: { OUTBOUND_ALLOW: images.hostPort, ...settings },
  });
  return { provider, worker };
}
/** Submits edits of the first account, nine images each, all of which hang. */
const flood = (edits: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: edits }, (_, task) =>
      world.submit({
        image_urls: Array.from({ length: 9 }, (_, image) => images.getUrl('slow', `${task}-${image}`)),
      }),
    ),
  );
const submitOther = async (imageUrls?: string[]): Promise<string> =>
  (await createTestTask(world.test.db, other, { request: imageUrls ? { image_urls: imageUrls } : {} })).id;
const countRunning = async ({ id }: TestAccount): Promise<unknown> =>
  (
    await world.sql("SELECT count(*)::int AS n FROM tasks WHERE account_id = $1 AND phase = 'running'", [id])
  )[0]?.n;

describe('images of one account that never come', () => {
  test("images of one account that never come hold up no edit and no generation of another account, nor its generations while its own edit's images hang", async () => {
    await flood(14);
    start();
    await eventually(async () => expect(images.waiting()).toBeGreaterThan(3));
    const quick = await submitOther(Array.from({ length: 9 }, (_, n) => images.getUrl('quick', `${n}`)));
    const generation = await submitOther();
    for (const id of [quick, generation]) {
      expect((await world.ended(id, 5_000)).status).toBe('completed');
    }
    await submitOther([images.getUrl('slow', 'own')]);
    const [second, third] = [await submitOther(), await submitOther()];
    for (const id of [second, third]) {
      expect((await world.ended(id, 5_000)).status).toBe('completed');
    }
  });

  test('images of one account that never come hold half of the slots of a worker at most, and the account still gets its other tasks afterwards', async () => {
    const edits = await flood(14);
    start({ GENERATION_CONCURRENCY: '16' });
    await eventually(async () => expect(await countRunning(world.account)).toBe(8));
    const plain = await world.submit();
    expect((await world.task(plain)).status).toBe('pending');
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        expect((await world.ended(await submitOther(), 10_000)).status).toBe('completed');
      }),
    );
    expect(await countRunning(world.account)).toBe(8);
    // Half of the 100 MiB, 10 MiB each.
    expect(images.maxWaiting()).toBe(5);
    images.open();
    for (const id of [...edits, plain]) {
      expect(await world.ended(id, 30_000)).toMatchObject({ status: 'completed', tries: 0 });
    }
  });
});

describe('input images', () => {
  test('input images that stand in a task several times are fetched once', async () => {
    const { provider } = start();
    const [one, two] = [images.getUrl('quick', 'one'), images.getUrl('quick', 'two')];
    const id = await world.submit({ image_urls: [one, two, `${one}`, one, two] });
    expect((await world.ended(id)).status).toBe('completed');
    expect(provider.requests[0]?.inputs).toHaveLength(5);
    expect(images.hits(one)).toBe(1);
    expect(images.hits(two)).toBe(1);
  });
});
