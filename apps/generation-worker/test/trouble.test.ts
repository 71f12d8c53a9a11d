import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { type ObjectStore, StorageError } from '@image-gateway/shared/storage';
import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import {
  deliver,
  deliverAfter,
  gate,
  routerOver,
  type Script,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';
import type { StartParts } from './support/world.js';

const world = useWorld();

function start(parts: StartParts, script: Script = deliver, maxImagesPerCall = 4) {
  const provider = scriptedProvider(script, { maxImagesPerCall });
  const worker = world.start(routerOver(provider), parts);
  return { provider, worker };
}
/** The store, away for some of its calls as long as it is told so. */
function failingStore(away: { now: boolean }, methods: readonly (keyof ObjectStore)[]): ObjectStore {
  const fail = () => Promise.reject(new StorageError({ fault: 'unreachable', message: 'away' }));
  return new Proxy(world.store, {
    get: (store, name) => {
      const method = store[name as keyof ObjectStore];
      return away.now && methods.includes(name as keyof ObjectStore) ? fail : method;
    },
  });
}
/** Database that fails for some statements while `away.now` is set. With `lost`, it fails after the statement has run. */
const failingDb =
  (away: { now: boolean; statements: readonly string[]; lost?: boolean }) =>
  (db: Database): Database => ({
    ...db,
    run: async <Row>(statement: Parameters<Database['run']>[0], values: readonly unknown[]) => {
      const hit = away.now && (away.statements.includes(statement.name) || away.statements.length === 0);
      if (hit && !away.lost) {
        throw new AppError('INTERNAL_ERROR', { message: 'away' });
      }
      const rows = await db.run<Row>(statement, values);
      if (hit) {
        throw new AppError('INTERNAL_ERROR', { message: 'the answer was lost' });
      }
      return rows;
    },
  });
const soon = (away: { now: boolean }, condition: () => Promise<unknown>) =>
  eventually(condition).then(() => {
    away.now = false;
  });

describe('trouble of our own costs the customer nothing', () => {
  test('storage away while an image is stored: it is kept and stored later, the provider is not asked again', async () => {
    const away = { now: true };
    const { provider } = start({ store: failingStore(away, ['put']) });
    const id = await world.submit({ num_outputs: 2 });
    await soon(away, async () =>
      expect(world.lines.some((line) => line.message === 'internal error, trying again')).toBe(true),
    );
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 2,
      attempt: 1,
      tries: 0,
    });
    expect(provider.requests).toHaveLength(1);
  });

  test('a store that says it has put an image and has not: the image is put once more, the provider is not asked again', async () => {
    let lies = 2;
    const lying = new Proxy(world.store, {
      get: (store, name: keyof ObjectStore) =>
        name === 'put' && lies-- > 0 ? () => Promise.resolve('stored') : store[name],
    });
    const { provider } = start({ store: lying });
    const id = await world.submit({ num_outputs: 2 });
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 2, tries: 0 });
    const keys = await world.store.list(`images/${id}/`);
    expect(keys).toHaveLength(2);
    expect(provider.requests).toHaveLength(1);
  });

  test('storage away until the deadline: failed at no cost', async () => {
    const away = { now: true };
    start({ store: failingStore(away, ['put']) });
    const id = await world.submit({}, { deadlineMs: 1_200 });
    expect(await world.ended(id)).toMatchObject({
      status: 'failed',
      error: 'The task was not finished in time.',
      tries: 0,
    });
  });

  test('storage away at a takeover: the task goes back without a try, and comes again', async () => {
    const away = { now: true };
    const id = await world.submit();
    await world.sql('UPDATE tasks SET attempt = 1 WHERE id = $1', [id]);
    const { provider } = start({ store: failingStore(away, ['list']) });
    await soon(away, async () => expect((await world.task(id)).attempt).toBe(2));
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0, attempt: 3 });
    expect(provider.requests).toHaveLength(1);
  });

  // Two calls save their outcomes themselves, a single one leaves its outcome to the settlement.
  test.each([
    ['add-output', 1],
    ['start-call', 1],
    ['settle-task', 1],
    ['finish-call', 2],
  ])(
    'the database away at %s: it is repeated, nothing is bought, stored or charged twice',
    async (name, calls) => {
      for (const lost of [false, true]) {
        const away = { now: true, statements: [name], lost };
        const { provider, worker } = start({ db: failingDb(away) }, deliver, 2 / calls);
        const before = world.lines.length;
        const id = await world.submit({ num_outputs: 2 });
        await soon(away, async () =>
          expect(
            world.lines.slice(before).some((line) => line.message === 'internal error, trying again'),
          ).toBe(true),
        );
        expect(await world.ended(id)).toMatchObject({
          status: 'completed',
          stored_count: 2,
          cost_micros: '20000',
          attempt: 1,
          tries: 0,
          call_count: calls,
        });
        expect(provider.requests).toHaveLength(calls);
        await worker.stop();
      }
    },
  );

  test('a lease that cannot be renewed in time: the attempt stops, the task goes back without a try', async () => {
    const away = { now: false, statements: ['extend-lease'] };
    const hang = gate();
    // Workers look for expired leases each second; this one ends halfway between two looks.
    const { worker } = start(
      { db: failingDb(away), settings: { LEASE_MS: '2500', HEARTBEAT_MS: '50', SWEEP_MS: '60000' } },
      deliverAfter(hang.passed),
    );
    const id = await world.submit();
    await eventually(async () => expect((await world.calls(id)).length).toBe(1));
    away.now = true;
    await eventually(async () =>
      expect(await world.task(id)).toMatchObject({ phase: 'queued', tries: 0, attempt: 1 }),
    );
    expect(await world.calls(id)).toMatchObject([{ state: 'cut' }]);
    await worker.stop();
    start({});
    expect(await world.ended(id)).toMatchObject({ status: 'completed', tries: 0 });
  });

  test('a heartbeat that fails now and then does not stop a paid call', async () => {
    const away = { now: false, statements: ['extend-lease'] };
    const open = gate();
    start(
      { db: failingDb(away), settings: { LEASE_MS: '3000', HEARTBEAT_MS: '50' } },
      deliverAfter(open.passed),
    );
    const id = await world.submit();
    const before = world.lines.length;
    away.now = true;
    await soon(away, async () =>
      expect(world.lines.slice(before).some((line) => line.message === 'could not renew the lease')).toBe(
        true,
      ),
    );
    open.open();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', attempt: 1, call_count: 1 });
  });
});
