import { settleTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { eventually } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  deliver,
  failing,
  failWith,
  gate,
  routerOver,
  type Script,
  scriptedProvider,
} from './support/scripted-provider.js';
import { createWorld, type World } from './support/world.js';

let world: World;
let listed: string[];

beforeEach(async () => {
  world = await createWorld();
  listed = [];
});
afterEach(async () => {
  await world.test.checkInvariants('rest');
  await world.close();
});

const start = (script: Script, store: Partial<ObjectStore> = {}) =>
  world.start(routerOver(scriptedProvider(script, { asynchronous: true })), {
    store: {
      ...world.store,
      list: (prefix) => {
        listed.push(prefix);
        return world.store.list(prefix);
      },
      ...store,
    },
  });
const checks = () => world.sql('SELECT task_id FROM orphan_checks');
/** Parks a job three times, then does what is left to do. */
const parkedBefore = (end: Script): Script =>
  async function* (request, call, signal) {
    if (call === 0) {
      yield { type: 'job', id: `job-${request.taskId}`, handle: 'h' };
    }
    if (call < 3) {
      yield { type: 'park', delayMs: 20 };
    } else {
      yield* end(request, call, signal);
    }
  };

describe('the bucket is not listed, neither during a task nor after it,', () => {
  test.each<[string, Script, string]>([
    ['when its job was parked and delivers all images', parkedBefore(deliver), 'completed'],
    ['when its job was parked and is refused', parkedBefore(failing('moderation')), 'failed'],
    ['when it is refused at once', failing('moderation'), 'failed'],
    ['when its tries are used up', failing('overload'), 'failed'],
  ])('the bucket is not listed, neither during a task nor after it: %s', async (_when, script, status) => {
    start(script);
    const id = await world.submit({ num_outputs: 2 });
    expect(await world.ended(id)).toMatchObject({ status });
    expect([await checks(), listed]).toEqual([[], []]);
  });

  test('the bucket is not listed, neither during a task nor after it when no worker ever took it', async () => {
    const id = await world.submit();
    await world.sql('UPDATE tasks SET deadline_at = now()');
    start(deliver);
    expect(await world.ended(id)).toMatchObject({ status: 'failed', attempt: 0 });
    expect([await checks(), listed]).toEqual([[], []]);
  });
});

describe('the bucket is listed', () => {
  test('the bucket is listed for a task whose attempt ended while an object was being put, and after it', async () => {
    const put = gate();
    const stopped = start(deliver, { put: () => put.passed.then(() => 'stored') });
    const id = await world.submit();
    await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'started' }]));
    await stopped.stop(50);
    expect(await world.task(id)).toMatchObject({ phase: 'queued', attempt: 1, tidy_attempt: 0 });
    start(deliver);
    await world.ended(id);
    expect(listed).toContain(`images/${id}/`);
    expect(await checks()).toEqual([{ task_id: id }]);
    put.open();
  });

  test('the bucket is listed after a task that an operator fails although images are stored', async () => {
    start(async function* (request) {
      if (request.slots.length === 2) {
        yield* deliver({ ...request, slots: [0] });
        failWith('rate-limit', 60_000);
      }
    });
    const id = await world.submit({ num_outputs: 2 });
    await eventually(async () =>
      expect(await world.task(id)).toMatchObject({ phase: 'queued', tidy_attempt: 1, stored_count: 1 }),
    );
    const deps = { db: world.test.db, newId, fileUrl: 'http://files' };
    await settleTask(deps, { taskId: id, attempt: 1, reason: 'no', discardImages: true });
    await eventually(async () => expect(await world.store.list(`images/${id}/`)).toEqual([]));
  });
});
