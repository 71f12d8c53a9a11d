import { createTestAccount, createTestTask, freePort } from '@image-gateway/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { deliver, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { createWorld, type World } from './support/world.js';

let world: World;

beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.close());

test('a worker without Redis serves an account behind more accounts than it has slots, all with tasks due later', async () => {
  for (let i = 0; i < 20; i++) {
    await createTestTask(world.test.db, await createTestAccount(world.test));
  }
  await world.sql(`UPDATE tasks SET due_at = now() + interval '1 hour'`);
  const redis = `redis://127.0.0.1:${await freePort()}`;
  world.start(routerOver(scriptedProvider(deliver)), {
    settings: { REDIS_URL: redis, GENERATION_CONCURRENCY: '4', SWEEP_MS: '5000' },
  });
  // Ids are random: of three accounts, one comes after many that wait.
  for (let i = 0; i < 3; i++) {
    const { id } = await createTestTask(world.test.db, await createTestAccount(world.test));
    expect((await world.ended(id, 10_000)).status).toBe('completed');
  }
});
