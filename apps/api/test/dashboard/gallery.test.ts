import { eraseExpiredTasks } from '@image-gateway/shared/db';
import type { GalleryPage, TaskDetail } from '@image-gateway/shared/task/schema';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from '../support/finish-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOwner, type Owner, toAccount } from './support/people.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    AUTH_SECRET: 'x'.repeat(32),
    ENABLED_MODELS: 'nanobanana,nanobanana-pro',
    RETENTION_DAYS: '30',
  });
});
afterAll(() => api.stop());

const finish = (owner: Owner, images: number, request: object = {}) =>
  finishTask(api, toAccount(owner), {
    request,
    images: Array.from({ length: images }, () => Buffer.from('x')),
  });
const read = async (owner: Owner, query = ''): Promise<GalleryPage> =>
  (await owner.get(`/images${query}`)).data as unknown as GalleryPage;

async function readAll(owner: Owner): Promise<{ urls: string[]; parts: number }> {
  const urls: string[] = [];
  let next: string | null = '';
  let parts = 0;
  while (next !== null) {
    const page: GalleryPage = await read(owner, next && `?before=${next}`);
    urls.push(...page.items.map(({ url }) => url));
    next = page.next;
    parts++;
  }
  return { urls, parts };
}

describe('the models to filter by', () => {
  test('the models to filter by are those on offer and those that the account used, also when its tasks are deleted', async () => {
    const [owner, stranger] = [await newOwner(api), await newOwner(api)];
    const list = async (who: Owner) => (await who.get('/used-models')).data as unknown as { id: string }[];
    const offered = await list(owner);
    expect(offered.map(({ id }) => id)).toEqual(['nanobanana', 'nanobanana-pro']);
    const { id } = await finish(owner, 1);
    await api.test.pool.query(
      `ALTER TABLE tasks DISABLE TRIGGER USER; UPDATE tasks SET model = 'sketch' WHERE id = '${id}';
       UPDATE usage_daily SET model = 'sketch' WHERE account_id = '${owner.accountId}'; ALTER TABLE tasks ENABLE TRIGGER USER`,
    );
    expect(await list(owner)).toEqual([...offered, { id: 'sketch', family: null, is_offered: false }]);
    expect(await list(stranger)).toEqual(offered);
  });
});

describe('the gallery', () => {
  test('the gallery has each image of the account once, newest task first, part by part', async () => {
    const [owner, stranger] = [await newOwner(api), await newOwner(api)];
    await finish(stranger, 1);
    const expected: string[] = [];
    for (let i = 0; i < 27; i++) {
      const count = 1 + (i % 3);
      const { id } = await finish(owner, i % 9 === 4 ? 0 : count);
      expected.unshift(
        ...(i % 9 === 4 ? [] : Array.from({ length: count }, (_, index) => `images/${id}/${index}.png`)),
      );
    }
    // All at one moment: only the ids order them.
    await api.test.pool.query(
      `ALTER TABLE tasks DISABLE TRIGGER USER;
       UPDATE tasks SET created_at = '2026-01-01' WHERE account_id = '${owner.accountId}'; ALTER TABLE tasks ENABLE TRIGGER USER`,
    );
    const { urls, parts } = await readAll(owner);
    expect(urls.map((url) => url.slice(url.indexOf('images/'))).sort()).toEqual([...expected].sort());
    expect(parts).toBe(2);
  });

  test('the gallery shows what an image is and was asked for', async () => {
    const owner = await newOwner(api);
    const task = await finish(owner, 1, { prompt: 'a fox', model: 'nanobanana-pro', resolution: '4k' });
    const { items, next } = await read(owner);
    expect(next).toBeNull();
    expect(items).toEqual([
      {
        task_id: task.id,
        index: 0,
        width: 1,
        height: 1,
        bytes: 1,
        model: 'nanobanana-pro',
        type: 'image_generate',
        prompt: 'a fox',
        cost: '$0.0320',
        url: expect.stringContaining(`/files/images/${task.id}/0.png`),
        created_at: task.createdAt.toISOString(),
      },
    ]);
  });

  test('the gallery is filtered by model, type and day', async () => {
    const owner = await newOwner(api);
    await finish(owner, 1);
    const pro = await finish(owner, 2, { model: 'nanobanana-pro' });
    const count = async (query: string) => (await read(owner, query)).items.length;
    expect(await count('?model=nanobanana-pro')).toBe(2);
    expect(await count('?type=image_edit')).toBe(0);
    const today = pro.createdAt.toISOString().slice(0, 10);
    expect(await count(`?from=${today}&to=${today}`)).toBe(3);
    expect(await count('?to=2020-01-01')).toBe(0);
    expect(await count('?from=2099-01-01')).toBe(0);
  });

  test('the gallery names a next part also when no image of this one fits', async () => {
    const owner = await newOwner(api);
    const oldest = await finish(owner, 1, { model: 'nanobanana-pro' });
    const { id } = await finish(owner, 0);
    await api.test.pool.query(
      `INSERT INTO tasks SELECT (jsonb_populate_record(t, jsonb_build_object('id', 'gen_many' || n))).*
         FROM tasks t, generate_series(1, 1000) n WHERE t.id = $1`,
      [id],
    );
    const first = await read(owner, '?model=nanobanana-pro');
    expect(first.items).toEqual([]);
    const second = await read(owner, `?model=nanobanana-pro&before=${first.next}`);
    expect(second.items.map(({ task_id }) => task_id)).toEqual([oldest.id]);
    expect(second.next).toBeNull();
  });

  test.each(['before=x', 'before=2026-13-01T00:00:00.000Z_gen_1', 'from=x', 'type=x', 'to=2026-02-30'])(
    'the gallery refuses ?%s',
    async (query) => {
      expect((await (await newOwner(api)).get(`/images?${query}`)).error?.code).toBe('BAD_REQUEST');
    },
  );
});

const DAY_MS = 86_400_000;
const readTask = async (owner: Owner, id: string): Promise<TaskDetail> =>
  (await owner.get(`/tasks/${id}`)).data as unknown as TaskDetail;
const keepFor = (owner: Owner, days: number | null) =>
  api.test.pool.query('UPDATE accounts SET retention_days = $2 WHERE id = $1', [owner.accountId, days]);

test('the page of a task says until when its prompt and images are kept, by the setting or by its account', async () => {
  const owner = await newOwner(api);
  const { id, completedAt } = await finish(owner, 1);
  const after = (days: number) => new Date(Number(completedAt) + days * DAY_MS).toISOString();
  expect(await readTask(owner, id)).toMatchObject({ expires_at: after(30), is_erased: false });
  await keepFor(owner, 7);
  expect(await readTask(owner, id)).toMatchObject({ expires_at: after(7), is_erased: false });
});

test('the page of a task says that it is erased from the end of its retention on, and after a longer one too', async () => {
  const owner = await newOwner(api);
  await keepFor(owner, 1);
  const { id } = await finish(owner, 1);
  const client = await api.test.pool.connect();
  await client.query('SET session_replication_role = replica');
  await client.query(
    `UPDATE tasks SET created_at = created_at - interval '2 days', started_at = started_at - interval '2 days',
                      completed_at = completed_at - interval '2 days' WHERE id = $1`,
    [id],
  );
  client.release(true);
  expect(await readTask(owner, id)).toMatchObject({ is_erased: true, outputs: [{ index: 0 }] });
  for await (const step of eraseExpiredTasks(api.test.db, {
    days: null,
    signal: new AbortController().signal,
  })) {
    expect(step.tasks).toBeLessThanOrEqual(1);
  }
  await keepFor(owner, 100);
  expect(await readTask(owner, id)).toMatchObject({ is_erased: true, prompt: '' });
});
