import { addTaskInputs, deleteFiles, linkTaskInputs, publishFile, useFiles } from '@image-gateway/shared/db';
import { newInputEntry, parseInputEntry } from '@image-gateway/shared/ids';
import { eventually } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';
import { drawImage } from './support/draw-image.js';
import { deliver, deliverAfter, routerOver, scriptedProvider } from './support/scripted-provider.js';
import { useWorld } from './support/use-world.js';

const world = useWorld();

/** Stores an upload as the API does. */
async function upload(bytes: Buffer): Promise<ReturnType<typeof newInputEntry>> {
  const name = newInputEntry();
  const limits = { ownBytes: bytes.length, allBytes: bytes.length };
  const uploads = [{ id: name.id, bytes: bytes.length }];
  await addTaskInputs(world.test.db, { uploads, accountId: world.account.id, limits });
  await world.store.put(name.key, bytes, { contentType: 'application/octet-stream' });
  return name;
}

test('uploads are loaded from the store, and removed a day after the end of their task or without one after an hour', async () => {
  const bytes = await drawImage('#ff0000', { width: 120, height: 90 });
  const used = await upload(bytes);
  const unused = await upload(bytes);
  const fresh = await upload(bytes);
  const provider = scriptedProvider(deliver);
  const worker = world.start(routerOver(provider));
  const id = await world.submit({ image_urls: [used.entry] });
  await linkTaskInputs(world.test.db, { taskId: id, ids: [used.id] });
  expect(await world.ended(id)).toMatchObject({ status: 'completed' });
  expect(provider.requests[0]?.inputs).toMatchObject([{ width: 120, height: 90 }]);

  await world.sql('UPDATE task_inputs SET remove_at = now() WHERE id = ANY($1::text[])', [
    [used.id, unused.id],
  ]);
  await eventually(async () => expect(await world.store.stat(unused.key)).toBeNull());
  const listRows = () => world.sql('SELECT id FROM task_inputs ORDER BY created_at');
  await eventually(async () => expect(await listRows()).toEqual([{ id: used.id }, { id: fresh.id }]));
  const [row] = await world.sql(
    `SELECT i.remove_at = t.completed_at + interval '24 hours' AS kept
       FROM task_inputs i JOIN tasks t ON t.id = i.task_id WHERE i.id = $1`,
    [used.id],
  );
  expect(row).toEqual({ kept: true });
  expect(await world.store.stat(used.key)).not.toBeNull();
  expect(await world.store.stat(fresh.key)).not.toBeNull();
  await worker.stop();
});

test('an upload that is gone fails its task like any unreadable input, and nothing else names one', async () => {
  const worker = world.start(routerOver(scriptedProvider(deliver)));
  const id = await world.submit({ image_urls: [newInputEntry().entry] });
  expect(await world.ended(id)).toMatchObject({
    status: 'failed',
    error: 'image_urls[0]: could not be fetched',
  });
  const others = [
    'input:',
    'input:../images/x',
    'input:0000000000000000000000/..',
    'https://a.example/input:x',
  ];
  expect(others.map(parseInputEntry)).toEqual([null, null, null, null]);
  await worker.stop();
});

test('a file is removed when it has expired, or was deleted and no pending task names it', async () => {
  const bytes = await drawImage('#00ff00', { width: 120, height: 90 });
  const keep = async () => {
    const name = await upload(bytes);
    const { apiKeyId } = world.account;
    const file = { id: name.id, apiKeyId, contentType: 'image/png', bytes: bytes.length };
    await publishFile(world.test.db, {
      ...file,
      width: 120,
      height: 90,
      isTurned: false,
      sha256: '0'.repeat(64),
    });
    return name;
  };
  const [named, deleted, expired, kept] = [await keep(), await keep(), await keep(), await keep()];
  const accountId = world.account.id;
  // A first call that hangs keeps the task pending.
  const gate = Promise.withResolvers<void>();
  const provider = scriptedProvider(deliverAfter(gate.promise));
  const worker = world.start(routerOver(provider));
  const id = await world.submit({ image_urls: [named.entry] });
  const used = await useFiles(world.test.db, { accountId, ids: [named.id] });
  expect(used).toHaveLength(1);
  for (const { id: file } of [named, deleted]) {
    await deleteFiles(world.test.db, { accountId, ids: [file] });
  }
  await world.sql('UPDATE task_inputs SET expires_at = now(), remove_at = now() WHERE id = $1', [expired.id]);
  await world.sql('UPDATE task_inputs SET remove_at = now() WHERE id = $1', [kept.id]);
  await eventually(async () => {
    expect(await world.store.stat(deleted.key)).toBeNull();
    expect(await world.store.stat(expired.key)).toBeNull();
  });
  expect(await world.store.stat(named.key)).not.toBeNull();
  gate.resolve();
  expect(await world.ended(id)).toMatchObject({ status: 'completed' });
  await world.sql('UPDATE task_inputs SET remove_at = now() WHERE id = $1', [named.id]);
  await eventually(async () => expect(await world.store.stat(named.key)).toBeNull());
  expect(await world.store.stat(kept.key)).not.toBeNull();
  await worker.stop();
});
