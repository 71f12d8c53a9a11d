import { acceptGeneration } from '@image-gateway/shared/billing';
import { createLogger } from '@image-gateway/shared/logging';
import { createProducer, createRedis } from '@image-gateway/shared/queues';
import {
  createAcceptDeps,
  createTestAccount,
  eventually,
  freePort,
  type TestAccount,
} from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { deliver, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { createWorld, type World } from './support/world.js';

let world: World;
let whale: TestAccount;
let other: TestAccount;

beforeEach(async () => {
  world = await createWorld();
  whale = world.account;
  other = await createTestAccount(world.test);
});
afterEach(() => world.close());

/** Submits as the API does, and hints at the first 256, as it would. */
async function submit(account: TestAccount, count: number, hinted = Math.min(count, 256)): Promise<string[]> {
  const deps = createAcceptDeps(world.test.db, { deadlineMs: 600_000 });
  const request = {
    model: 'nanobanana',
    prompt: 'x',
    aspect_ratio: '16:9',
    num_outputs: 1,
    resolution: '1k',
  } as const;
  const accepted = await Promise.all(
    Array.from({ length: count }, () =>
      acceptGeneration(deps, {
        accountId: account.id,
        apiKeyId: account.apiKeyId,
        requestId: 'req',
        request,
      }),
    ),
  );
  const ids = accepted.map(({ task }) => task.id);
  if (hinted === 0) {
    return ids;
  }
  const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
  const redis = createRedis({ url: world.redisUrl, mode: 'fail-fast', name: 'test', logger });
  const producer = createProducer({ redis });
  const hints = ids.slice(0, hinted).map((taskId) => ({ taskId, attempt: 0, traceId: 'test' }));
  const turns = hints.map((_, i) => i + 1);
  expect(await producer.add('generation', hints, { turns })).toBe('queued');
  await producer.close();
  redis.disconnect();
  return ids;
}
const countRunning = async ({ id }: TestAccount): Promise<unknown> =>
  (
    await world.sql("SELECT count(*)::int AS n FROM tasks WHERE account_id = $1 AND phase = 'running'", [id])
  )[0]?.n;
/** A provider that keeps some accounts' tasks until it is told to go on. */
function holding(held: Set<string>) {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  const provider = scriptedProvider(async function* (request) {
    if (held.has(request.taskId)) {
      await passed;
    }
    yield* deliver(request);
  });
  return { provider, open };
}

describe('flood', () => {
  test("a flood of one account delays another account's task by no more than a few of its own", async () => {
    const { provider } = holding(new Set());
    await submit(whale, 2_000);
    world.start(routerOver(provider), { settings: { GENERATION_CONCURRENCY: '4', SWEEP_MS: '5000' } });
    await eventually(async () => expect(provider.requests.length).toBeGreaterThan(3));
    const [single = ''] = await submit(other, 1);
    await world.ended(single, 20_000);
    const [row] = await world.sql(
      `SELECT count(*)::int AS before FROM tasks t JOIN tasks s ON s.id = $2
        WHERE t.account_id = $1 AND t.started_at > s.created_at AND t.started_at < s.started_at`,
      [whale.id, single],
    );
    // Far fewer than were hinted at before it: those that were under way already, in a worker or on its way to one.
    expect(row?.before).toBeLessThan(24);
    expect(provider.requests.length).toBeLessThan(1_900);
  });

  test.each(['with', 'without'])(
    'a flood of one account of long tasks leaves places for others, %s Redis',
    async (redis) => {
      const ids = await submit(whale, 60, redis === 'with' ? 60 : 0);
      const { provider, open } = holding(new Set(ids));
      const settings: Record<string, string> = { GENERATION_CONCURRENCY: '9', SWEEP_MS: '500' };
      if (redis === 'without') {
        settings.REDIS_URL = `redis://127.0.0.1:${await freePort()}`;
      }
      world.start(routerOver(provider), { settings });
      await eventually(async () => expect(await countRunning(whale)).toBe(7));
      const others = await submit(other, 3, redis === 'with' ? 3 : 0);
      for (const id of others) {
        expect((await world.ended(id)).status).toBe('completed');
      }
      expect(await countRunning(whale)).toBe(7);
      open();
      await Promise.all(ids.map((id) => world.ended(id, 20_000)));
      await world.test.checkInvariants('rest');
    },
  );

  test.each([
    { slots: 16, running: 14 },
    { slots: 160, running: 144 },
  ])(
    'a flood of one account has all of a worker when nobody else wants it, but for the places that are kept: $running of $slots',
    async ({ slots, running }) => {
      const ids = await submit(whale, slots);
      const { provider, open } = holding(new Set(ids));
      const settings = { GENERATION_CONCURRENCY: String(slots), SWEEP_MS: '500' };
      world.start(routerOver(provider), { settings });
      await eventually(async () => expect(await countRunning(whale)).toBe(running));
      open();
      await Promise.all(ids.map((id) => world.ended(id, 20_000)));
    },
  );
});
