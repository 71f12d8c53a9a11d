import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { deliverAfter, gate, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { createWorld, type World } from './support/world.js';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(async () => {
  await world.test.checkInvariants('rest');
  await world.close();
});

/** Decides about sessions that are opened from now on, as a change of roles between two servers does. */
const setReadOnly = async (state: 'on' | 'off'): Promise<void> => {
  const name = new URL(world.test.url).pathname.slice(1);
  await world.sql(
    `BEGIN READ WRITE; ALTER DATABASE ${name} SET default_transaction_read_only = ${state}; COMMIT`,
  );
};

test('a database that takes no writes for a while costs a running task neither its images nor a try', async () => {
  const open = gate();
  const provider = scriptedProvider(deliverAfter(open.passed));
  const settings = { LEASE_MS: '20000', HEARTBEAT_MS: '200' };
  const worker = world.start(routerOver(provider), { settings });
  const id = await world.submit({ num_outputs: 2 });
  await eventually(async () => expect((await world.calls(id)).length).toBe(1));
  await setReadOnly('on');
  await world.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'worker'`,
  );
  const before = world.lines.length;
  open.open();
  await eventually(async () =>
    expect(JSON.stringify(world.lines.slice(before))).toMatch(
      /internal error, trying again.*read-only transaction/,
    ),
  );
  expect(await world.task(id)).toMatchObject({ status: 'pending', tries: 0 });
  await setReadOnly('off');
  expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, attempt: 1 });
  expect(provider.requests).toHaveLength(1);
  await worker.stop();
});
