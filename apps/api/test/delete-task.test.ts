import { deleteEndedTask, finishCall, finishOrphanCheck, takeOrphanChecks } from '@image-gateway/shared/db';
import { createTestTask, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './cli/support/run-command.js';
import { createKeyMaker, getMessage } from './support/create-key-maker.js';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;
/** Key with all scopes. */
let owner: TestAccount;
beforeAll(async () => {
  api = await startApi();
  account = await api.account({ balanceMicros: 100_000_000n });
  owner = await createKeyMaker(api, account)('--scopes', 'generate,read,delete');
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const remove = (id: string, as = owner) => api.call(`/v1/tasks/${id}`, { as, method: 'DELETE' });
const read = (id: string, as = owner) => api.call(`/v1/tasks/${id}`, { as });
const list = async (query = '', as = owner) => {
  const { data } = (await api.call(`/v1/tasks?per_page=100${query}`, { as })).json;
  return { ids: data.items.map(({ id }) => id), total: data.pagination.total };
};

/** Returns the tables whose rows contain a text. */
async function findTables(text: string): Promise<readonly string[]> {
  const { rows } = await api.test.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const sql = `SELECT 1 FROM "${name}" t WHERE strpos(row_to_json(t)::text, $1) > 0 LIMIT 1`;
      return (await api.test.pool.query(sql, [text])).rows.length > 0 ? [name] : [];
    }),
  );
  return found.flat().sort();
}

describe('DELETE /v1/tasks/{id}', () => {
  test('erases prompt and input URLs from every table, takes the task out of all lists, and keeps the money', async () => {
    const marker = 'a-secret-otter';
    const kept = await finishTask(api, owner);
    const request = {
      prompt: `paint ${marker}`,
      negative_prompt: `no ${marker}`,
      image_urls: [`https://example.com/${marker}.png`],
      webhook_url: 'https://hooks.example/x',
    };
    const { id, outputKeys } = await finishTask(api, owner, { request });
    await api.test.pool.query(
      `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, job_handle, finished_at)
       VALUES ('call_x', $1, 1, 'sandbox', 'sandbox', 1, '{0}', 'succeeded', $2, now())`,
      [id, `job of ${marker}`],
    );
    await api.test.pool.query('SELECT recount()');
    const file = async () => (await api.call(`/files/${outputKeys[0]}`, { method: 'HEAD' })).status;
    expect([(await read(id)).status, await file()]).toEqual([200, 200]);
    expect(await findTables(marker)).toEqual(['provider_calls', 'tasks']);
    const usage = (await api.call('/v1/usage/summary', { as: owner })).text;
    const money = (await api.call('/v1/account', { as: owner })).text;

    const { status, text } = await remove(id);
    expect([status, text]).toEqual([204, '']);
    expect(await findTables(marker)).toEqual([]);
    expect(api.lines.some((line) => line.includes(marker))).toBe(false);
    expect([(await read(id)).status, await file()]).toEqual([404, 404]);
    expect((await api.call(`/v1/tasks/${id}?view=full`, { as: owner })).status).toBe(404);
    for (const query of [
      '',
      '&status=completed',
      '&model=nanobanana',
      '&created_after=2020-01-01T00:00:00Z',
    ]) {
      expect(await list(query)).toEqual({ ids: [kept.id], total: 1 });
    }
    expect(await list('&type=image_edit')).toEqual({ ids: [], total: 0 });
    expect((await api.call('/v1/usage/summary', { as: owner })).text).toBe(usage);
    expect((await api.call('/v1/account', { as: owner })).text).toBe(money);
    const { rows } = await api.test.pool.query(
      `SELECT d.state, c.task_id FROM webhook_deliveries d JOIN orphan_checks c USING (task_id) WHERE d.task_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ state: 'pending', task_id: id }]);
    expect((await remove(id)).status).toBe(404);
    await api.test.pool.query('SELECT recount()');
  });

  test('DELETE /v1/tasks/{id} leaves the handle of an open job until the job has ended', async () => {
    const { id } = await finishTask(api, owner);
    await api.test.pool.query(
      `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, job_handle)
       VALUES ('call_open', $1, 1, 'sandbox', 'sandbox', 1, '{0}', 'submitted', 'a job')`,
      [id],
    );
    const findHandle = async () =>
      (await api.test.pool.query(`SELECT job_handle FROM provider_calls WHERE id = 'call_open'`)).rows;
    expect((await remove(id)).status).toBe(204);
    expect(await findHandle()).toEqual([{ job_handle: 'a job' }]);
    await finishCall(api.test.db, { callId: 'call_open', state: 'succeeded', detail: null, costMicros: 0n });
    expect(await findHandle()).toEqual([{ job_handle: null }]);
  });

  test('DELETE /v1/tasks/{id} refuses a pending task and says what to do; afterwards it can be deleted', async () => {
    const { id } = await createTestTask(api.test.db, owner);
    expect(getMessage(await remove(id))).toEqual([
      400,
      'BAD_REQUEST',
      'The task is pending. Cancel it, or wait for its end, and delete it then.',
    ]);
    await api.call(`/v1/tasks/${id}/cancel`, { as: owner, method: 'POST' });
    expect((await remove(id)).status).toBe(204);
  });

  test('DELETE /v1/tasks/{id} is 403 for a key without the scope, 404 for strangers and unknown ids', async () => {
    const { id } = await finishTask(api, owner);
    expect(getMessage(await remove(id, account))).toEqual([
      403,
      'FORBIDDEN',
      'This key lacks the scope "delete".',
    ]);
    const stranger = await api.account();
    const theirs = await createKeyMaker(api, stranger)('--scopes', 'delete');
    for (const answer of [await remove(id, theirs), await remove('gen_x'), await remove('%00')]) {
      expect(answer.status).toBe(404);
    }
    expect((await read(id)).status).toBe(200);
  });

  test('DELETE /v1/tasks/{id} is seen within 5 s by a process that has the task in its cache, and at once in lists', async () => {
    const { id } = await finishTask(api, owner);
    expect([(await read(id)).status, (await list()).ids.includes(id)]).toEqual([200, true]);
    // As another process does it.
    await deleteEndedTask(api.test.db, { taskId: id, accountId: owner.id });
    expect((await list()).ids).not.toContain(id);
    await eventually(async () => expect((await read(id)).status).toBe(404), { timeoutMs: 5_000 });
  });

  test('DELETE /v1/tasks/{id} leaves the Idempotency-Key of the submit valid, so that a late repeat is not charged', async () => {
    const body = { model: 'nanobanana', prompt: 'once' };
    const headers = { 'idempotency-key': 'late' };
    const submit = () => api.call('/v1/generate', { as: owner, body, headers });
    const { id } = (await submit()).json.data;
    await api.call(`/v1/tasks/${id}/cancel`, { as: owner, method: 'POST' });
    expect((await remove(id)).status).toBe(204);
    const again = await submit();
    expect([again.status, again.json.data.id]).toEqual([202, id]);
  });
});

test('a deletion during a look at the objects of its task is followed by another look at once', async () => {
  const { id } = await finishTask(api, owner);
  // The column rounds to milliseconds, so a row of this moment may be due half a millisecond later.
  await api.test.pool.query(
    "INSERT INTO orphan_checks (task_id, due_at) VALUES ($1, now() - interval '1 second')",
    [id],
  );
  const taken = (await takeOrphanChecks(api.test.db, { limit: 100 })).find(({ taskId }) => taskId === id);
  expect(taken?.outputKeys).toHaveLength(1);
  expect((await remove(id)).status).toBe(204);
  if (taken) {
    await finishOrphanCheck(api.test.db, taken);
  }
  const again = await takeOrphanChecks(api.test.db, { limit: 100 });
  expect(again.find(({ taskId }) => taskId === id)?.outputKeys).toEqual([]);
});

test('the first page is found behind more than a thousand deleted tasks', async () => {
  const many = await api.account();
  const first = await finishTask(api, many);
  await api.test.pool.query(
    `INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs, image_urls,
                        status, phase, settled_attempt, deadline_at, unit_micros, hold_micros, error, started_at, completed_at)
     SELECT 'gen_many' || i, $1, $2, 'req', 'nanobanana', 'image_generate', 'x', '16:9', '1k', 1, '{}', 'failed', 'done', 0, now(), 10000,
            10000, 'x', now(), now() FROM generate_series(1, 1100) i`,
    [many.id, many.apiKeyId],
  );
  await api.test.pool.query('SELECT recount()');
  for (let i = 1; i <= 1_100; i++) {
    expect(await deleteEndedTask(api.test.db, { taskId: `gen_many${i}`, accountId: null })).toBe('deleted');
  }
  expect(await list('', many)).toEqual({ ids: [first.id], total: 1 });
});

test('gateway task delete erases a task of any account and records it in the audit log', async () => {
  const { id } = await finishTask(api, owner);
  const { value } = await runCommand({ db: api.test.db }, 'task', 'delete', id);
  expect(value).toEqual({ id, deleted: true });
  const { rows } = await api.test.pool.query(`SELECT action, detail FROM audit_entries WHERE subject = $1`, [
    id,
  ]);
  expect(rows).toEqual([{ action: 'task.delete', detail: { actor: 'cli' } }]);
});
