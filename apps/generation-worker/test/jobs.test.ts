import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import {
  deliver,
  failWith,
  gate,
  routerOver,
  type Script,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();

function start(script: Script, asynchronous = true) {
  const provider = scriptedProvider(script, { asynchronous });
  const worker = world.start(routerOver(provider));
  return { provider, worker };
}

/** Submits a job and waits for ever; a resumed job delivers. */
const submitThenWait: Script = async function* (request) {
  if (request.job !== null) {
    yield* deliver(request);
  } else {
    yield { type: 'job', id: `job-${request.taskId}`, handle: 'h' };
    await gate().passed;
  }
};

describe('an asynchronous job', () => {
  test('an asynchronous job that is cut by the end of the process is resumed by its id, not paid for again', async () => {
    const { worker } = start(submitThenWait);
    const id = await world.submit();
    await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'submitted' }]));
    await worker.stop(50);
    const { provider } = start(submitThenWait);
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, attempt: 2, call_count: 1 });
    expect(provider.requests).toMatchObject([{ job: { id: `job-${id}`, handle: 'h' } }]);
    expect(await world.calls(id)).toMatchObject([{ state: 'succeeded' }]);
  });

  test('an asynchronous job says at its submission how long its images are needed: past the last poll of any later worker', async () => {
    const { worker, provider } = start(submitThenWait);
    const id = await world.submit();
    await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'submitted' }]));
    await worker.stop(50);
    start(submitThenWait);
    expect(await world.ended(id)).toMatchObject({ status: 'completed', call_count: 1 });
    const [task] = await world.sql('SELECT created_at, deadline_at FROM tasks WHERE id = $1', [id]);
    const [first] = provider.scopes;
    const deadline = new Date(task?.deadline_at as Date).getTime();
    expect(Number(first?.at) + Number(first?.neededMs)).toBeGreaterThanOrEqual(deadline);
    expect(first?.neededMs).toBeLessThanOrEqual(deadline - new Date(task?.created_at as Date).getTime());
  });

  test('an asynchronous job that takes long is parked without costing a try, and is resumed', async () => {
    const { provider } = start(async function* (request, call) {
      if (call === 0) {
        yield { type: 'job', id: `job-${request.taskId}`, handle: 'h' };
      }
      if (call < 3) {
        yield { type: 'park', delayMs: 20 };
      } else {
        yield* deliver(request);
      }
    });
    const id = await world.submit({ num_outputs: 2 });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, attempt: 4, call_count: 1 });
    expect(provider.requests.map(({ job }) => job?.id ?? null)).toEqual([
      null,
      ...Array(3).fill(`job-${id}`),
    ]);
  });

  test('an asynchronous job whose id was never saved may have been billed: it is not submitted again', async () => {
    const { worker } = start(async function* () {
      await gate().passed;
      yield { type: 'job', id: 'too late', handle: 'h' };
    });
    const id = await world.submit();
    await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'started' }]));
    await worker.stop(50);
    const { provider } = start(submitThenWait);
    expect(await world.ended(id)).toMatchObject({ status: 'failed', error: 'The upstream provider failed.' });
    expect(provider.requests).toHaveLength(0);
    expect(await world.calls(id)).toMatchObject([{ state: 'unknown' }]);
  });

  test('an asynchronous job that its provider no longer knows is an unknown outcome', async () => {
    const { provider } = start(async function* (request) {
      if (request.job !== null) {
        failWith('unknown');
      }
      yield { type: 'job', id: `job-${request.taskId}`, handle: 'h' };
      yield { type: 'park', delayMs: 1 };
    });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'failed', call_count: 1 });
    expect(provider.requests).toHaveLength(2);
  });

  test('an asynchronous job that failed for certain may be followed by another call', async () => {
    start(async function* (request, call) {
      yield { type: 'job', id: `job-${call}-${request.taskId}`, handle: 'h' };
      if (call === 0) {
        failWith('overload');
      }
      yield* deliver(request);
    });
    const id = await world.submit();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 1, call_count: 2 });
  });
});

describe('a synchronous call', () => {
  test('a synchronous call that our own end cut is repeated: our crash is not the failure of the customer', async () => {
    const { worker } = start(async function* () {
      await gate().passed;
      yield { type: 'image', bytes: Buffer.alloc(0) };
    }, false);
    const id = await world.submit();
    await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'started' }]));
    await worker.stop(50);
    start(deliver, false);
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, attempt: 2 });
    expect((await world.calls(id)).map(({ state }) => state)).toEqual(['cut', 'succeeded']);
  });
});
