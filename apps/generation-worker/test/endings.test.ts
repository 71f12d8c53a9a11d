import { describe, expect, test } from '@jest/globals';
import {
  deliver,
  deliverAfter,
  failing,
  failWith,
  gate,
  routerOver,
  type Script,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();

function start(script: Script, settings: Record<string, string> = {}) {
  const provider = scriptedProvider(script);
  world.start(routerOver(provider), { settings });
  return provider;
}

/** Delivers the first `count` of the asked images, then does what follows. */
const some = async function* (request: Parameters<Script>[0], count: number) {
  yield* deliver({ ...request, slots: request.slots.slice(0, count) });
};

describe('endings', () => {
  test('a task ends completed and charged for all images when all are stored', async () => {
    start(deliver);
    const id = await world.submit({ num_outputs: 4 });
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 4,
      cost_micros: '40000',
      attempt: 1,
      tries: 0,
      call_count: 1,
    });
    expect((await world.outputs(id)).map(({ index, slot, key }) => [index, slot, key])).toEqual(
      [0, 1, 2, 3].map((i) => [i, i, `images/${id}/${i}.png`]),
    );
    expect(await world.store.list(`images/${id}/`)).toHaveLength(4);
  });

  test('a task ends at its deadline with the stored images, only those charged, though a call is under way', async () => {
    start(async function* (request) {
      yield* some(request, 1);
      await gate().passed;
    });
    const id = await world.submit({ num_outputs: 2 }, { deadlineMs: 1_000 });
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 1,
      cost_micros: '10000',
    });
    expect(await world.calls(id)).toMatchObject([{ state: 'cut' }]);
  });

  test('a task ends failed at no cost at its deadline when nothing is stored', async () => {
    start(deliverAfter(gate().passed));
    const id = await world.submit({}, { deadlineMs: 500 });
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: 'The task was not finished in time.',
      cost_micros: '0',
    });
  });

  test('a task ends failed at its deadline though no worker ever took it', async () => {
    const id = await world.submit({}, { deadlineMs: 1 });
    start(deliver);
    expect(await world.ended(id)).toMatchObject({ status: 'failed', attempt: 0 });
  });

  test.each([
    ['moderation', 'The request was rejected by content moderation.'],
    ['invalid-input', 'The upstream provider refused the input.'],
  ] as const)('failed without another call when the provider says %s', async (failure, error) => {
    const provider = start(failing(failure));
    const id = await world.submit({ num_outputs: 2 });
    expect(await world.ended(id)).toMatchObject({ status: 'failed', error, cost_micros: '0', call_count: 1 });
    expect(provider.requests).toHaveLength(1);
    expect(await world.calls(id)).toMatchObject([{ state: 'refused', detail: failure }]);
  });

  test('a task ends completed with what is stored when the provider refuses the rest', async () => {
    const provider = start(async function* (request) {
      yield* some(request, 1);
      failWith('moderation');
    });
    const id = await world.submit({ num_outputs: 3 });
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 1,
      cost_micros: '10000',
    });
    expect(provider.requests).toHaveLength(1);
  });

  test('a task ends after a refusal only when calls under way have delivered', async () => {
    const refused = gate();
    const underWay = gate();
    const provider = scriptedProvider(
      async function* (request) {
        if (request.slots[0] === 0) {
          await underWay.passed;
          refused.open();
          failWith('moderation');
        }
        if (request.slots[0] === 2) {
          underWay.open();
        }
        await refused.passed;
        yield* deliver(request);
      },
      { maxImagesPerCall: 1 },
    );
    world.start(routerOver(provider));
    const id = await world.submit({ num_outputs: 3 });
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 2,
      cost_micros: '20000',
    });
    expect(provider.requests).toHaveLength(3);
  });

  test('a task ends failed when its tries are used up, after three calls and with the waits in between', async () => {
    start(failing('overload'));
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: 'The upstream provider failed.',
      attempt: 3,
      call_count: 3,
      cost_micros: '0',
    });
  });

  test('a task ends completed with what is stored when its tries are used up', async () => {
    start(
      async function* (request, call) {
        if (call === 0) {
          yield* some(request, 2);
        }
        failWith('overload');
      },
      { TASK_MAX_ATTEMPTS: '2' },
    );
    const id = await world.submit({ num_outputs: 3 });
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 2,
      attempt: 2,
      call_count: 2,
    });
  });

  test('a task ends completed when a failed call succeeds on the next try', async () => {
    start(async function* (request, call) {
      if (call === 0) {
        failWith('overload');
      }
      yield* deliver(request);
    });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', attempt: 2, tries: 1, call_count: 2 });
  });
});
