import { createHash } from 'node:crypto';
import { refundTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { createTestTask, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from './support/finish-task.js';
import { type AnswerJson, startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let owner: TestAccount;
let stranger: TestAccount;

beforeAll(async () => {
  api = await startApi({ ENABLED_MODELS: 'nanobanana,nanobanana-pro' });
  owner = await api.account();
  stranger = await api.account();
});
afterAll(() => api.stop());

describe('GET /v1/tasks/{id}', () => {
  test('GET /v1/tasks/{id} gives a task to its owner', async () => {
    const task = await finishTask(api, owner);
    const { status, json } = await api.call(`/v1/tasks/${task.id}`, { as: owner });
    expect(status).toBe(200);
    expect(json.error).toBeNull();
    expect(json.data).toMatchObject({
      id: task.id,
      status: 'completed',
      cost: '$0.0100',
      output: { url: `http://gateway.test/files/images/${task.id}/0.png` },
    });
  });

  test('GET /v1/tasks/{id} answers 304 to whoever has the answer already, until the task changes', async () => {
    const task = await createTestTask(api.test.db, owner);
    const path = `/v1/tasks/${task.id}`;
    const { headers } = await api.call(path, { as: owner });
    const etag = headers.get('etag') ?? '';
    expect(headers.get('cache-control')).toBe('private, no-cache');
    const again = (value: string) => api.call(path, { as: owner, headers: { 'if-none-match': value } });
    for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const { status, text, headers: answer } = await again(value);
      expect([status, text, answer.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await again('"x"')).status).toBe(200);
    await api.test.pool.query(
      "UPDATE tasks SET phase = 'running', lease_until = now(), started_at = now() WHERE id = $1",
      [task.id],
    );
    const changed = await again(etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  test('a finished task is read once; neither a pending one nor a stranger gets what is remembered', async () => {
    const done = await finishTask(api, owner);
    const pending = await createTestTask(api.test.db, owner);
    const read = async (id: string, as: TestAccount) => (await api.call(`/v1/tasks/${id}`, { as })).status;
    expect([await read(done.id, owner), await read(pending.id, owner)]).toEqual([200, 200]);
    await api.test.pool.query('ALTER TABLE tasks RENAME TO tasks_away');
    try {
      expect([await read(done.id, owner), await read(done.id, stranger)]).toEqual([200, 404]);
      expect(await read(pending.id, owner)).toBe(500);
    } finally {
      await api.test.pool.query('ALTER TABLE tasks_away RENAME TO tasks');
    }
  });

  test('many who ask at the same time each get their own task', async () => {
    const tasks = await Promise.all(
      [owner, stranger].flatMap((account) =>
        Array.from({ length: 20 }, () => createTestTask(api.test.db, account)),
      ),
    );
    const asked = tasks.flatMap((task) => [owner, stranger].map((as) => ({ task, as })));
    const answers = await Promise.all(asked.map(({ task, as }) => api.call(`/v1/tasks/${task.id}`, { as })));
    expect(answers.map(({ status, json }) => (status === 200 ? json.data.id : status))).toEqual(
      asked.map(({ task, as }) => (task.accountId === as.id ? task.id : 404)),
    );
  });

  test("GET /v1/tasks/{id} answers another account's task with the very bytes of an unknown one", async () => {
    const task = await finishTask(api, owner);
    const foreign = await api.call(`/v1/tasks/${task.id}`, { as: stranger });
    const unknown = await api.call('/v1/tasks/gen_0000000000000000000000', { as: stranger });
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(unknown.text);
    expect(foreign.json.error.code).toBe('NOT_FOUND');
  });

  test.each(["gen_'", 'gen_%00', '..%2f', '__proto__', 'gen_', 'x'.repeat(10_000), 'gen_%F0%9F%A6%8A'])(
    '%.20s names no task: 404',
    async (id) => {
      expect((await api.call(`/v1/tasks/${id}`, { as: owner })).status).toBe(404);
    },
  );
});

describe('GET /v1/tasks/{id}?view=full', () => {
  const full = async (id: string, as = owner) => (await api.call(`/v1/tasks/${id}?view=full`, { as })).text;
  const plain = async (id: string) => (await api.call(`/v1/tasks/${id}`, { as: owner })).text;
  const asked = { asked: 2, prompt: 'a red fox', aspect_ratio: '16:9', resolution: '1k' };

  test('GET /v1/tasks/{id}?view=full adds images, request and refund to the Task, which stays as it is without it', async () => {
    const images = [Buffer.from('first'), Buffer.from('second one')];
    const { id } = await finishTask(api, owner, { images });
    const before = await plain(id);
    const task = JSON.parse(before).data as { readonly output: { readonly urls: readonly string[] } };
    const described = images.map((bytes, index) => ({
      url: task.output.urls[index],
      width: 1,
      height: 1,
      bytes: bytes.length,
      content_type: 'image/png',
      sha256: createHash('sha256').update(bytes).digest('hex'),
    }));
    const expected = { ...task, images: described, ...asked };
    expect(await full(id)).toBe(JSON.stringify({ data: expected, error: null }));
    await refundTask({ db: api.test.db, newId }, { taskId: id, reason: 'r' });
    expect(await full(id)).toBe(JSON.stringify({ data: { ...expected, refunded: '$0.0200' }, error: null }));
    expect(await plain(id)).toBe(before);
  });

  test('GET /v1/tasks/{id}?view=full shows no image of a task that is not completed', async () => {
    const { id } = await finishTask(api, owner, { settle: false, request: { num_outputs: 2 } });
    expect(JSON.parse(await full(id)).data).toEqual({
      ...JSON.parse(await plain(id)).data,
      images: [],
      ...asked,
    });
  });

  test('GET /v1/tasks/{id}?view=full is 404 for strangers; other values are refused', async () => {
    const { id } = await finishTask(api, owner);
    expect((await api.call(`/v1/tasks/${id}?view=full`, { as: stranger })).status).toBe(404);
    const { status, json } = await api.call(`/v1/tasks/${id}?view=all`, { as: owner });
    expect([status, json.error.message]).toEqual([400, 'view must be one of "full".']);
  });
});

describe('GET /v1/tasks', () => {
  const ids = (json: AnswerJson) => json.data.items.map(({ id }) => id);

  test('GET /v1/tasks lists only the own tasks, newest first, and pages through all of them once', async () => {
    const account = await api.account();
    const made: string[] = [];
    for (let i = 0; i < 5; i++) {
      made.unshift((await createTestTask(api.test.db, account)).id);
    }
    await createTestTask(api.test.db, stranger);
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const { json } = await api.call(`/v1/tasks?per_page=2&page=${page}`, { as: account });
      expect(json.data.pagination).toEqual({ page, per_page: 2, total: 5, total_pages: 3 });
      seen.push(...ids(json));
    }
    // A last page that is full has no empty one behind it.
    const { json } = await api.call('/v1/tasks?per_page=5', { as: account });
    expect(json.data.pagination).toMatchObject({ total: 5, total_pages: 1 });
    const { rows } = await api.test.pool.query<{ id: string }>(
      'SELECT id FROM tasks WHERE account_id = $1 ORDER BY created_at DESC, id DESC',
      [account.id],
    );
    expect(seen).toEqual(rows.map(({ id }) => id));
    expect([...seen].sort()).toEqual([...made].sort());
  });

  test('GET /v1/tasks shows each task as GET /v1/tasks/{id} does, whether it was read before or not', async () => {
    const account = await api.account();
    const made = [await finishTask(api, account), await finishTask(api, account, { images: [] })];
    const running = await createTestTask(api.test.db, account);
    const waiting = await createTestTask(api.test.db, account);
    await api.test.pool.query(
      "UPDATE tasks SET created_at = created_at + interval '1 second' WHERE id = $1",
      [waiting.id],
    );
    await api.test.pool.query(
      "UPDATE tasks SET phase = 'running', lease_until = now(), started_at = now() WHERE id = $1",
      [running.id],
    );
    const tasks = [waiting, running, ...made.reverse()];
    const list = async () => (await api.call('/v1/tasks', { as: account })).text;
    const before = await list();
    const single = tasks.map(
      async ({ id }) => (await api.call(`/v1/tasks/${id}`, { as: account })).json.data,
    );
    const data = {
      items: await Promise.all(single),
      pagination: { page: 1, per_page: 20, total: 4, total_pages: 1 },
    };
    expect([before, await list()]).toEqual(Array(2).fill(JSON.stringify({ data, error: null })));
  });

  test('GET /v1/tasks gives each of many accounts its own list when all ask at the same time', async () => {
    const accounts = await Promise.all(Array.from({ length: 12 }, () => api.account()));
    const made = await Promise.all(accounts.map((account) => createTestTask(api.test.db, account)));
    const asking = accounts.flatMap((account) => [
      api.call('/v1/tasks', { as: account }),
      api.call('/v1/tasks?page=2', { as: account }),
    ]);
    const answers = (await Promise.all(asking)).map(({ json }) => json.data.items.map(({ id }) => id));
    expect(answers).toEqual(made.flatMap(({ id }) => [[id], []]));
  });

  test('GET /v1/tasks filters by status, model, type and time, and counts what is left', async () => {
    const account = await api.account();
    const done = await finishTask(api, account);
    const failed = await finishTask(api, account, { images: [] });
    const edit = await createTestTask(api.test.db, account, {
      request: { model: 'nanobanana-pro', image_urls: ['https://example.com/a.png'] },
    });
    const list = async (query: string) => (await api.call(`/v1/tasks?${query}`, { as: account })).json;
    expect(ids(await list('status=completed'))).toEqual([done.id]);
    expect(ids(await list('status=failed'))).toEqual([failed.id]);
    expect(ids(await list('status=pending'))).toEqual([edit.id]);
    expect(ids(await list('model=nanobanana-pro'))).toEqual([edit.id]);
    expect(ids(await list('type=image_edit'))).toEqual([edit.id]);
    expect(ids(await list('type=image_edit&status=completed'))).toEqual([]);
    await api.test.pool.query("UPDATE tasks SET created_at = created_at - interval '1 hour' WHERE id = $1", [
      edit.id,
    ]);
    await api.test.pool.query('SELECT recount_key_spend()');
    const between = new Date(done.createdAt.getTime() - 60_000).toISOString();
    expect(ids(await list(`created_before=${between}`))).toEqual([edit.id]);
    expect((await list(`created_after=${between}&per_page=1`)).data.pagination.total).toBe(2);
    expect(ids(await list(`created_after=${done.createdAt.toISOString()}`))).not.toContain(done.id);
  });

  test.each(['', '&status=pending'])(
    'GET /v1/tasks has no last page: far beyond the end is an empty one (%s)',
    async (more) => {
      const { status, json } = await api.call(`/v1/tasks?page=9007199254740991&per_page=100${more}`, {
        as: owner,
      });
      expect(status).toBe(200);
      expect(json.data.items).toEqual([]);
    },
  );

  test.each([
    'page=0',
    'page=1&page=2',
    'per_page=101',
    'status=done',
    'model=other',
    'type=video',
    'created_after=yesterday',
    'created_before=2026-01-01T00:00:00',
  ])('?%s is BAD_REQUEST and names the parameter', async (query) => {
    const { status, json } = await api.call(`/v1/tasks?${query}`, { as: owner });
    expect(status).toBe(400);
    expect(json.error.code).toBe('BAD_REQUEST');
    expect(json.error.message).toContain(query.split('=')[0]);
  });

  test('GET /v1/tasks ignores parameters that it does not know', async () => {
    expect((await api.call('/v1/tasks?sort=x&__proto__=1&page[]=2', { as: owner })).status).toBe(200);
  });
});
