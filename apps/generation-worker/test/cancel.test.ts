import { cancelTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { eventually } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import {
  deliver,
  failing,
  gate,
  routerOver,
  type Script,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();

/** Cancels a task while its first call is open, lets that call go on, and returns the task at its end. */
async function cancelDuringCall(script: Script) {
  const held = gate();
  const provider = scriptedProvider(async function* (request, call, ...rest) {
    await held.passed;
    yield* script(request, call, ...rest);
  });
  world.start(routerOver(provider));
  const taskId = await world.submit({ num_outputs: 2 });
  await eventually(() => expect(provider.requests).toHaveLength(1));
  const deps = { db: world.test.db, newId, fileUrl: 'http://files.test' };
  expect(await cancelTask(deps, { taskId, accountId: null })).toBe('pending');
  held.open();
  return { task: await world.ended(taskId, 4_000), requests: provider.requests };
}

test('what an open call of a canceled task delivers is stored and charged, and no other call is made', async () => {
  const { task, requests } = await cancelDuringCall((request) =>
    deliver({ ...request, slots: request.slots.slice(0, 1) }),
  );
  expect(task).toMatchObject({ status: 'completed', stored_count: 1, cost_micros: '10000', call_count: 1 });
  expect(requests).toHaveLength(1);
});

test('a canceled task whose open call fails ends at once, canceled and without another try', async () => {
  const { task, requests } = await cancelDuringCall(failing('upstream-error'));
  expect(task).toMatchObject({
    status: 'failed',
    error: 'The task was canceled.',
    cost_micros: '0',
    tries: 0,
  });
  expect(requests).toHaveLength(1);
});
