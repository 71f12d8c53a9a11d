import { refundTask } from '@image-gateway/shared/billing';
import { deleteEndedTask } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endTask } from './support/end-task.js';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await startApi({ PROVIDERS: 'sandbox' });
  await api.store.ensureBucket();
  account = await api.account({ balanceMicros: 100_000_000n });
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const good = { model: 'nanobanana', prompt: 'a fox' };
const get = (path: string, as = account) => api.call(path, { as });
const submit = (body: object, headers: Record<string, string> = {}) =>
  api.call('/v1/generate', { as: account, body: { ...good, ...body }, headers });
const draw = async (metadata: Readonly<Record<string, string>> | undefined, as = account) =>
  finishTask(api, as, { request: { ...(metadata && { metadata }), webhook_url: 'https://hooks.example/x' } });
const readBody = async (id: string): Promise<string> =>
  (
    await api.test.pool.query<{ body: string }>('SELECT body FROM webhook_deliveries WHERE task_id = $1', [
      id,
    ])
  ).rows[0]?.body ?? '';

describe('metadata of a request', () => {
  test('is in every form of the task, in the order of its keys, and changes nothing else', async () => {
    const { status, json } = await submit({
      metadata: { user: '42', app: 'web' },
      webhook_url: 'https://hooks.example/x',
    });
    expect([status, JSON.stringify(json.data)]).toEqual([
      202,
      expect.stringMatching(/,"metadata":\{"app":"web","user":"42"\}\}$/),
    ]);
    const { id } = json.data;
    const pending = (await get(`/v1/tasks/${id}`)).json.data;
    expect(pending).toEqual(json.data);
    expect((await get('/v1/tasks?per_page=1')).json.data.items).toEqual([pending]);
    expect((await get('/v1/tasks?per_page=1&status=pending')).json.data.items).toEqual([pending]);
    await endTask(api, id, { images: [Buffer.from('x')] });
    const { text } = await get(`/v1/tasks/${id}`);
    const data = text.slice('{"data":'.length, -',"error":null}'.length);
    expect(data).toMatch(/"metadata":\{"app":"web","user":"42"\}/);
    expect(await readBody(id)).toContain(`"data":${data}}`);
    expect((await get(`/v1/tasks/${id}?view=full`)).json.data).toMatchObject({ metadata: { user: '42' } });
    const events = await get(`/v1/tasks/${id}/events`);
    expect(events.text).toContain(`data: ${data}\n`);
    expect((await get('/v1/usage?per_page=1')).json.data.items[0]).toMatchObject({
      task_id: id,
      metadata: { app: 'web', user: '42' },
    });
    const plain = await submit({ metadata: {} });
    expect(plain.json.data).not.toHaveProperty('metadata');
  });

  test('that is none is refused by name, and nothing is held', async () => {
    const { held } = (await get('/v1/account')).json.data as unknown as { held: string };
    for (const metadata of ['user', { user: 42 }, { 'a b': 'x' }, [], { user: '' }]) {
      const { status, json } = await submit({ metadata });
      expect([status, json.error.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(json.error.message).toMatch(/^metadata must be an object of at most 16 entries/);
    }
    expect((await get('/v1/account')).json.data).toMatchObject({ held });
  });

  test('counts for idempotency in any order of its entries', async () => {
    const headers = { 'Idempotency-Key': 'metadata-1' };
    const first = await submit({ metadata: { a: '1', b: '2' } }, headers);
    const again = await submit({ metadata: { b: '2', a: '1' } }, headers);
    expect([again.status, again.json]).toEqual([202, first.json]);
    expect((await submit({ metadata: { a: '1', b: '3' } }, headers)).json.error.code).toBe('BAD_REQUEST');
    expect((await submit({}, headers)).json.error.code).toBe('BAD_REQUEST');
  });

  test('leaves task, usage record and event with the erasure; an event that waits is sent as it is', async () => {
    const [ended, waiting] = [await draw({ user: 'a-secret-otter' }), await draw({ user: 'a-secret-otter' })];
    await api.test.pool.query(
      "UPDATE webhook_deliveries SET state = 'delivered', next_attempt_at = NULL, delivered_at = now() WHERE task_id = $1",
      [ended.id],
    );
    const before = await readBody(ended.id);
    for (const { id } of [ended, waiting]) {
      await deleteEndedTask(api.test.db, { taskId: id, accountId: account.id });
    }
    const { rows } = await api.test.pool.query(
      'SELECT t.metadata AS task, u.metadata AS usage FROM tasks t JOIN usage_records u ON u.task_id = t.id WHERE t.id = ANY ($1)',
      [[ended.id, waiting.id]],
    );
    expect(rows).toEqual([
      { task: null, usage: null },
      { task: null, usage: null },
    ]);
    expect(await readBody(ended.id)).toBe(before.replace(',"metadata":{"user":"a-secret-otter"}', ''));
    expect(await readBody(waiting.id)).toContain('"metadata":{"user":"a-secret-otter"}');
    await api.test.pool.query(
      "UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL WHERE task_id = $1",
      [waiting.id],
    );
    expect(await readBody(waiting.id)).not.toContain('otter');
    await expect(
      api.test.pool.query('UPDATE usage_records SET units = 2, metadata = NULL WHERE task_id = $1', [
        ended.id,
      ]),
    ).rejects.toThrow('append-only');
  });

  test('filters lists, usage and sums of its own account alone', async () => {
    const own = await api.account();
    const other = await api.account();
    const [ann, bob] = [
      await draw({ user: 'ann', tier: 'a' }, own),
      await draw({ user: 'bob', tier: 'a' }, own),
    ];
    await draw(undefined, own);
    await draw({ user: 'ann' }, other);
    const ask = async (path: string) => (await get(path, own)).json.data;
    const tasks = await ask('/v1/tasks?metadata[user]=ann');
    expect([tasks.items.map(({ id }) => id), tasks.pagination.total]).toEqual([[ann.id], 1]);
    expect((await ask('/v1/tasks?metadata[tier]=a&per_page=1&page=2')).items.map(({ id }) => id)).toEqual([
      ann.id,
    ]);
    expect(
      (await ask('/v1/tasks?metadata%5Btier%5D=a&metadata[user]=bob&status=completed')).items.map(
        ({ id }) => id,
      ),
    ).toEqual([bob.id]);
    expect((await ask('/v1/usage?metadata[user]=bob')).items).toMatchObject([{ task_id: bob.id }]);
    expect(await ask('/v1/usage/summary?metadata[tier]=a')).toEqual([
      { model: 'nanobanana', total_units: 2, total_cost: '$0.0200', request_count: 2 },
    ]);
    expect(
      (await get('/v1/usage?metadata[user]=ann&format=ndjson', own)).text.trim().split('\n'),
    ).toHaveLength(1);
    const csv = (await get('/v1/usage?metadata[user]=ann&format=csv', own)).text.split('\r\n');
    expect(csv[0]).toMatch(/,metadata,quality$/);
    expect(csv[1]).toMatch(/,"\{""tier"":""a"",""user"":""ann""\}",$/);
    for (const query of [
      'metadata=x',
      'metadata[user]=',
      'metadata[a b]=x',
      'metadata[user]=a&metadata[user]=b',
    ]) {
      expect((await get(`/v1/tasks?${query}`, own)).json.error.code).toBe('BAD_REQUEST');
    }
  });

  test('sums up by its values to the micro-dollar what the ledger took, with refunds, and through erasures', async () => {
    const own = await api.account({ balanceMicros: 100_000_000n });
    const tasks = [];
    for (const user of ['ann', 'ann', 'bob', undefined]) {
      tasks.push(await draw(user === undefined ? undefined : { user }, own));
    }
    const [first, , bob] = tasks;
    await refundTask({ db: api.test.db, newId }, { taskId: bob?.id ?? '', reason: 'spoilt', actor: 'test' });
    const sum = async (query = '') =>
      (await get(`/v1/usage/summary?group_by=metadata:user${query}`, own)).json.data;
    const entry = (user: string | null, cost: string, requests: number) => ({
      ...(user !== null && { metadata: { user } }),
      total_units: requests,
      total_cost: cost,
      request_count: requests,
    });
    expect(await sum('&include=refunds')).toEqual([
      entry('ann', '$0.0200', 2),
      entry(null, '$0.0100', 1),
      entry('bob', '$0.00', 1),
    ]);
    expect(await sum('&model=nanobanana')).toHaveLength(3);
    expect(await sum(',model')).toContainEqual({ ...entry('bob', '$0.0100', 1), model: 'nanobanana' });
    expect(await sum(',day')).toContainEqual({
      ...entry('bob', '$0.0100', 1),
      day: new Date().toISOString().slice(0, 10),
    });
    await deleteEndedTask(api.test.db, { taskId: first?.id ?? '', accountId: own.id });
    expect(await sum()).toEqual([
      entry(null, '$0.0200', 2),
      entry('ann', '$0.0100', 1),
      entry('bob', '$0.0100', 1),
    ]);
    for (const query of [':', ':a b', `:${'a'.repeat(65)}`, ':a,metadata:b']) {
      expect((await get(`/v1/usage/summary?group_by=metadata${query}`, own)).json.error.code).toBe(
        'BAD_REQUEST',
      );
    }
  });
});
