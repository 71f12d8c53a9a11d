import { createHash } from 'node:crypto';
import { cancelTask } from '@image-gateway/shared/billing';
import { startCall } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { eventually } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { drawImage } from './support/draw-image.js';
import {
  deliver,
  deliverAfter,
  gate,
  routerOver,
  type Script,
  scriptedProvider,
} from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();
const sha256 = (bytes: Buffer | null) =>
  createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');

function start(script: Script) {
  const provider = scriptedProvider(script);
  world.start(routerOver(provider));
  return provider;
}
/** A task whose first worker died after it had put these objects, and before it wrote anything down. */
async function leftBehind(outputs: number, objects: Record<string, Buffer>): Promise<string> {
  const id = await world.submit({ num_outputs: outputs });
  await world.sql(
    `UPDATE tasks SET phase = 'running', attempt = 1, started_at = now(), lease_until = now() - interval '1 s' WHERE id = $1`,
    [id],
  );
  for (const [name, bytes] of Object.entries(objects)) {
    const contentType = { png: 'image/png', jpg: 'image/jpeg' }[name.split('.')[1] ?? ''] ?? 'image/webp';
    await world.store.put(`images/${id}/${name}`, bytes, { contentType });
  }
  return id;
}
const readObject = (id: string, name: string) => world.store.read(`images/${id}/${name}`);

describe('what a dead worker left in the store', () => {
  test('what a dead worker left in the store is adopted when it is complete: nothing is bought twice', async () => {
    const bytes = await drawImage('#112233', { width: 80, height: 45 });
    const id = await leftBehind(1, { '0.png': bytes });
    const provider = start(deliver);
    expect(await world.ended(id)).toMatchObject({ status: 'completed', attempt: 2, call_count: 0 });
    expect(provider.requests).toHaveLength(0);
    const [row] = await world.sql('SELECT * FROM task_outputs WHERE task_id = $1', [id]);
    expect(row).toMatchObject({ width: 80, height: 45, bytes: bytes.length, sha256: sha256(bytes) });
  });

  test('what a dead worker left in the store is adopted and charged although the task is canceled meanwhile', async () => {
    const id = await leftBehind(2, { '0.png': await drawImage('#445566') });
    const deps = { db: world.test.db, newId, fileUrl: 'http://files.test' };
    expect(await cancelTask(deps, { taskId: id, accountId: null })).toBe('pending');
    const provider = start(deliver);
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 1,
      cost_micros: '10000',
      attempt: 2,
      call_count: 0,
    });
    expect(provider.requests).toHaveLength(0);
  });

  test('what a dead worker left in the store is adopted before its call is closed, so that no cancellation comes between', async () => {
    const id = await leftBehind(1, { '0.png': await drawImage('#778899') });
    await world.sql("UPDATE tasks SET lease_until = now() + interval '1 minute' WHERE id = $1", [id]);
    const call = {
      id: newId('call'),
      attempt: 1,
      provider: 'stub',
      model: 'stub',
      slots: [0],
      costMicros: 1n,
      ...({
        requestId: null,
        jobHandle: null,
        createdAt: new Date(),
        keyFingerprint: null,
        state: 'started',
        detail: null,
      } as const),
    };
    expect(await startCall(world.test.db, { taskId: id, knownCalls: 0 }, call)).toBe('started');
    // A trigger refuses to close the call while the image has no row: a cancellation could end the task then.
    await world.sql(`
CREATE FUNCTION note_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT stored_count FROM tasks WHERE id = NEW.task_id) = 0 THEN RAISE 'closed before adoption'; END IF;
  RETURN NULL;
END $$`);
    await world.sql(
      `CREATE TRIGGER note_stored AFTER UPDATE OF state ON provider_calls FOR EACH ROW
       WHEN (OLD.state = 'started' AND NEW.task_id = '${id}') EXECUTE FUNCTION note_stored()`,
    );
    await world.sql("UPDATE tasks SET lease_until = now() - interval '1 s' WHERE id = $1", [id]);
    start(deliver);
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1 });
    await world.sql('DROP TRIGGER note_stored ON provider_calls');
  });

  test('what a dead worker left in the store is adopted one by one in the order of the index, and only the rest is asked for', async () => {
    const [one, two] = [await drawImage('#111'), await drawImage('#222', { format: 'jpeg' })];
    const id = await leftBehind(4, { '0.png': one, '1.jpg': two });
    const provider = start(deliver);
    expect(await world.ended(id)).toMatchObject({
      status: 'completed',
      stored_count: 4,
      cost_micros: '40000',
    });
    expect(provider.requests.map(({ slots }) => slots)).toEqual([[2, 3]]);
    expect((await world.outputs(id)).map(({ key }) => key.split('/')[2])).toEqual([
      '0.png',
      '1.jpg',
      '2.png',
      '3.png',
    ]);
  });

  test('what a dead worker left in the store is replaced when it is not complete', async () => {
    const bytes = await drawImage('#334455', { width: 300, height: 200 });
    const id = await leftBehind(1, { '0.png': bytes.subarray(0, bytes.length - 20) });
    const provider = start(deliver);
    expect((await world.ended(id)).status).toBe('completed');
    expect(provider.requests).toHaveLength(1);
    const stored = await readObject(id, '0.png');
    expect((await world.outputs(id))[0]?.sha256).toBe(sha256(stored));
    expect(stored?.equals(bytes)).toBe(false);
  });

  test('what a dead worker left in the store is removed when it is not part of the result', async () => {
    const broken = (await drawImage('#334455', { format: 'webp' })).subarray(0, 30);
    const id = await leftBehind(1, { '0.webp': broken, '3.png': await drawImage('#fff') });
    start(deliver);
    expect((await world.ended(id)).status).toBe('completed');
    await eventually(async () =>
      expect(await world.store.list(`images/${id}/`)).toEqual([`images/${id}/0.png`]),
    );
    const look =
      "SELECT round, due_at > now() + interval '55 minutes' AS later FROM orphan_checks WHERE task_id = $1";
    await eventually(async () => expect(await world.sql(look, [id])).toEqual([{ round: 1, later: true }]));
  });
});

describe('the key of the next image', () => {
  test('the key of the next image when another worker has just put a complete image there: it is taken as it is, and ours goes behind it', async () => {
    const put = gate();
    const id = await world.submit({ num_outputs: 2 });
    const foreign = await drawImage('#00ff00');
    const ours = await drawImage('#0000ff');
    start(async function* (request) {
      await put.passed;
      yield { type: 'image', bytes: ours, slot: request.slots[0] ?? 0 };
    });
    await eventually(async () => expect(await world.task(id)).toMatchObject({ phase: 'running' }));
    await world.store.put(`images/${id}/0.png`, foreign, {
      contentType: 'image/png',
      metadata: { slot: '1' },
    });
    put.open();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 2, call_count: 1 });
    expect((await world.outputs(id)).map(({ slot, sha256: sum }) => [slot, sum])).toEqual([
      [1, sha256(foreign)],
      [0, sha256(ours)],
    ]);
  });

  test('the key of the next image when our own image stands there already, since only the answer to the put was lost: it is written down once', async () => {
    const bytes = await drawImage('#00ffff');
    const ready = gate();
    const id = await world.submit();
    start(async function* () {
      await ready.passed;
      yield { type: 'image', bytes };
    });
    await eventually(async () => expect(await world.task(id)).toMatchObject({ phase: 'running' }));
    await world.store.put(`images/${id}/0.png`, bytes, { contentType: 'image/png' });
    ready.open();
    expect(await world.ended(id)).toMatchObject({ status: 'completed', stored_count: 1 });
    expect(await world.outputs(id)).toHaveLength(1);
  });
});

describe('objects of a failed task', () => {
  test('objects of a failed task are removed, those too that a slow worker puts after the end: a second look comes an hour later', async () => {
    const id = await leftBehind(1, { '0.png': await drawImage('#fff') });
    await world.sql('UPDATE tasks SET deadline_at = now() WHERE id = $1', [id]);
    start(deliverAfter(gate().passed));
    expect((await world.ended(id)).status).toBe('failed');
    const looked = async (round: number | undefined) =>
      eventually(async () => {
        const [check] = await world.sql('SELECT round FROM orphan_checks WHERE task_id = $1', [id]);
        expect(check?.round).toBe(round);
      });
    await looked(1);
    expect(await world.store.list(`images/${id}/`)).toEqual([]);
    await world.store.put(`images/${id}/0.png`, await drawImage('#000'), { contentType: 'image/png' });
    await world.sql('UPDATE orphan_checks SET due_at = now() WHERE task_id = $1', [id]);
    await looked(undefined);
    expect(await world.store.list(`images/${id}/`)).toEqual([]);
  });
});
