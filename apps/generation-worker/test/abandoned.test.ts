import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../src/providers/failures.js';
import type { ImageProvider } from '../src/providers/port.js';
import { failing, gate, routerOver, type Script, scriptedProvider } from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();

/** Submits a job and parks it for ever. */
const parked: Script = async function* (request) {
  if (request.job === null) {
    yield { type: 'job', id: `job-${request.taskId}`, handle: 'where' };
  }
  yield { type: 'park', delayMs: 60_000 };
};

function start(script: Script, cancel?: NonNullable<ImageProvider['cancel']>, asynchronous = true) {
  const options = { asynchronous, ...(cancel && { cancel }) };
  world.start(routerOver(scriptedProvider(script, options)));
}

/** Lets the deadline of a task pass now. */
const expire = (id: string) =>
  world.sql(`UPDATE tasks SET deadline_at = now(), due_at = now() + interval '1 hour' WHERE id = $1`, [id]);

describe('a job of a task whose deadline has passed', () => {
  const stopAt = async (cancel: NonNullable<ImageProvider['cancel']>) => {
    start(parked, cancel);
    const id = await world.submit({ num_outputs: 2 });
    await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'submitted' }]));
    await eventually(async () => expect(await world.task(id)).toMatchObject({ phase: 'queued' }));
    await expire(id);
    expect(await world.ended(id)).toMatchObject({ status: 'failed', tries: 0 });
    return id;
  };
  const readCall = async (id: string) =>
    (
      await world.sql('SELECT state, cost_micros::int AS cost FROM provider_calls WHERE task_id = $1', [id])
    )[0];

  test('a job of a task whose deadline has passed is stopped upstream, with its own id and handle, and costs nothing then', async () => {
    const stopped: unknown[] = [];
    const id = await stopAt(async ({ id: jobId, handle, model }) => {
      stopped.push([jobId, handle, model]);
      return true;
    });
    await eventually(async () => expect(await readCall(id)).toEqual({ state: 'cut', cost: 0 }));
    expect(stopped).toEqual([[`job-${id}`, 'where', 'fake-1']]);
  });

  test('a job of a task whose deadline has passed that can no longer be stopped may have been billed', async () => {
    const id = await stopAt(async () => false);
    await eventually(async () => expect(await readCall(id)).toEqual({ state: 'unknown', cost: 2_000 }));
  });

  test('a job of a task whose deadline has passed is tried to be stopped again when the provider does not answer', async () => {
    let asked = 0;
    const id = await stopAt(async () => {
      asked += 1;
      if (asked < 3) {
        throw new ProviderError('transport', 'away');
      }
      return true;
    });
    await eventually(async () => expect(await readCall(id)).toEqual({ state: 'cut', cost: 0 }));
    expect(asked).toBe(3);
  });
});

describe('a call that was open when its worker died and its task ended', () => {
  test.each([
    ['synchronous', false, 'cut'],
    ['asynchronous', true, 'unknown'],
  ])(
    'a call that was open when its worker died and its task ended is concluded: a %s one',
    async (_kind, asynchronous, state) => {
      const shut = gate();
      start(
        async function* () {
          await shut.passed;
          yield { type: 'image', bytes: Buffer.alloc(0) };
        },
        undefined,
        asynchronous,
      );
      const id = await world.submit();
      await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state: 'started' }]));
      await expire(id);
      expect(await world.ended(id)).toMatchObject({ status: 'failed' });
      await eventually(async () => expect(await world.calls(id)).toMatchObject([{ state }]));
    },
  );
});

describe('a worker', () => {
  test('a worker says that it is alive and how its candidates stand', async () => {
    start(failing('auth'));
    await world.ended(await world.submit());
    await eventually(async () => {
      const [report] = await world.sql(
        'SELECT service, report FROM worker_reports ORDER BY seen_at DESC LIMIT 1',
      );
      expect(report).toMatchObject({
        service: 'generation-worker',
        report: {
          candidates: [{ provider: 'fake', model: 'fake-1', circuit: 'closed', keysSetAside: [''] }],
        },
      });
    });
  });
});
