import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { drawImage } from './support/draw-image.js';
import {
  deliver,
  deliverAfter,
  failing,
  gate,
  routerOver,
  type Script,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';
import type { TestWorker } from './support/world.js';

const world = useWorld();

/** A worker that neither renews its leases nor sweeps: as if it were stopped in the middle of a call. */
const SLEEPING = { LEASE_MS: '600000', HEARTBEAT_MS: '600000', SWEEP_MS: '600000' };

function start(script: Script, settings: Record<string, string> = {}) {
  const provider = scriptedProvider(script);
  const worker = world.start(routerOver(provider), { settings });
  return { provider, worker };
}
const expireLease = (id: string) =>
  world.sql(`UPDATE tasks SET lease_until = now() - interval '1 second' WHERE id = $1`, [id]);
const running = (id: string, attempt = 1) =>
  eventually(async () =>
    expect(await world.task(id)).toMatchObject({ phase: 'running', attempt, call_count: attempt }),
  );
const idle = (worker: TestWorker) =>
  eventually(() => expect(worker.metrics.running.get()).resolves.toMatchObject({ values: [{ value: 0 }] }));
const state = async (id: string) => ({
  task: await world.task(id),
  outputs: await world.outputs(id),
  transfers: await world.sql('SELECT id, amount_micros FROM ledger_transfers WHERE task_id = $1', [id]),
});

describe('a worker that was overtaken', () => {
  test('a worker that was overtaken changes nothing with an image that comes late', async () => {
    const late = gate();
    const sleeper = start(deliverAfter(late.passed), SLEEPING);
    const id = await world.submit();
    await running(id);
    await expireLease(id);
    start(async function* () {
      yield { type: 'image', bytes: await drawImage('#abcdef') };
    });
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      attempt: 2,
      tries: 1,
      settled_attempt: 2,
    });
    const before = await state(id);
    const bytes = await world.store.read(`images/${id}/0.png`);
    late.open();
    await idle(sleeper.worker);
    expect(await state(id)).toEqual(before);
    expect(await world.store.read(`images/${id}/0.png`)).toEqual(bytes);
  });

  test('a worker that was overtaken cannot fail a task that another one has completed', async () => {
    const late = gate();
    const refuseLate: Script = async function* (request) {
      await late.passed;
      yield* failing('moderation')(request, 0, new AbortController().signal);
    };
    const sleeper = start(refuseLate, SLEEPING);
    const id = await world.submit({ num_outputs: 2 });
    await running(id);
    await expireLease(id);
    start(deliver);
    await world.ended(id);
    const before = await state(id);
    late.open();
    await idle(sleeper.worker);
    expect(await state(id)).toEqual(before);
    expect(before.task).toMatchObject({ status: 'completed', stored_count: 2 });
  });

  test.each<[string, Script]>([
    ['an image', deliver],
    ['a refusal', failing('moderation')],
    ['a failure that would give it back', failing('overload')],
  ])(
    'a worker that was overtaken changes nothing with %s while another one is at work',
    async (_what, script) => {
      const late = gate();
      const go = gate();
      const sleeper = start(async function* (request, call, signal) {
        await late.passed;
        yield* script(request, call, signal);
      }, SLEEPING);
      const id = await world.submit({ num_outputs: 2 });
      await running(id);
      await expireLease(id);
      start(deliverAfter(go.passed));
      await running(id, 2);
      const before = await state(id);
      late.open();
      await idle(sleeper.worker);
      expect(await state(id)).toEqual({ ...before, task: { ...before.task, lease_until: expect.any(Date) } });
      go.open();
      expect(await world.ended(id)).toMatchObject({
        status: 'completed',
        stored_count: 2,
        settled_attempt: 2,
      });
    },
  );

  test('a worker that was overtaken cannot complete a task that another one has failed, and leaves no object behind', async () => {
    const late = gate();
    const sleeper = start(deliverAfter(late.passed), SLEEPING);
    const id = await world.submit();
    await running(id);
    await expireLease(id);
    start(failing('moderation'));
    expect(await world.ended(id)).toMatchObject({ status: 'failed', cost_micros: '0' });
    late.open();
    await idle(sleeper.worker);
    expect(await world.task(id)).toMatchObject({ status: 'failed', cost_micros: '0', stored_count: 0 });
    await world.sql('UPDATE orphan_checks SET due_at = now() WHERE task_id = $1', [id]);
    await eventually(async () => expect(await world.store.list(`images/${id}/`)).toEqual([]));
  });

  test('a worker that was overtaken stops its attempt as soon as its heartbeat finds the task taken', async () => {
    const { worker } = start(deliverAfter(gate().passed), { LEASE_MS: '3000', HEARTBEAT_MS: '50' });
    const id = await world.submit();
    await running(id);
    await world.sql('UPDATE tasks SET attempt = attempt + 1 WHERE id = $1', [id]);
    await idle(worker);
    expect(await world.calls(id)).toMatchObject([{ state: 'cut' }]);
    await expireLease(id);
    await worker.stop();
    start(deliver);
    expect((await world.ended(id)).status).toBe('completed');
  });
});

describe('tries', () => {
  test('a task whose worker dies every time fails after its last lease, without any image charged', async () => {
    const hang = deliverAfter(gate().passed);
    start(hang, { ...SLEEPING, SWEEP_MS: '50', TASK_MAX_ATTEMPTS: '2' });
    const id = await world.submit();
    await running(id, 1);
    await expireLease(id);
    await running(id, 2);
    expect((await world.task(id)).tries).toBe(1);
    await expireLease(id);
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: 'An internal error occurred.',
      attempt: 2,
      cost_micros: '0',
    });
  });

  test('a queued task that has none left ends', async () => {
    const id = await world.submit();
    await world.sql('UPDATE tasks SET tries = 3 WHERE id = $1', [id]);
    const { provider } = start(deliver);
    expect(await world.ended(id)).toMatchObject({ status: 'failed', attempt: 0 });
    expect(provider.requests).toHaveLength(0);
  });

  test('the wait between tries follows RETRY_BACKOFF, give or take a fifth', async () => {
    start(failing('overload'), { RETRY_BACKOFF: '100,200', SWEEP_MS: '60000' });
    const id = await world.submit();
    await eventually(async () => expect(await world.task(id)).toMatchObject({ tries: 1, phase: 'queued' }));
    const waitMs = async () => (await world.task(id)).due_at.getTime() - Date.now();
    expect(await waitMs()).toBeGreaterThan(78_000);
    expect(await waitMs()).toBeLessThan(120_001);
    await world.sql('UPDATE tasks SET deadline_at = now() WHERE id = $1', [id]);
    start(deliver);
    await world.ended(id);
  });
});

describe('two workers', () => {
  test('two workers share the tasks and run none twice, whatever number of hints there are', async () => {
    const one = start(deliver);
    const two = start(deliver);
    const ids = await Promise.all(Array.from({ length: 30 }, () => world.submit()));
    await Promise.all(ids.map((id) => world.ended(id)));
    const rows = await Promise.all(ids.map((id) => world.task(id)));
    expect(rows.every((row) => row.attempt === 1 && row.call_count === 1 && row.status === 'completed')).toBe(
      true,
    );
    expect(one.provider.requests.length + two.provider.requests.length).toBe(30);
  });
});
