import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectError } from './support/expect-error.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import type { Task } from './support/servers/wire.js';

let scene: Scene;
let customer: Customer;
let stranger: Customer;
let made: Task[];

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
  stranger = await scene.customer();
  made = [];
  for (const fields of [
    { prompt: 'sandbox:fixed' },
    { prompt: 'sandbox:fixed', model: 'nanobanana-pro' },
    { prompt: 'sandbox:fail=moderation' },
    { prompt: 'sandbox:fixed' },
  ]) {
    made.push(await customer.client.run(fields));
  }
  const urls = made[0]?.output?.urls;
  made.push(await customer.client.run({ prompt: 'sandbox:fixed', image_urls: urls }));
}, 700_000);
afterAll(() => scene.audit());

const getIds = async (query: string) => (await customer.client.tasks(query)).items.map(({ id }) => id);
const idsWhere = (keep: (task: Task) => boolean) =>
  made
    .filter(keep)
    .map(({ id }) => id)
    .reverse();

describe('GET /v1/tasks/{id}', () => {
  test('GET /v1/tasks/{id} gives the own Task with 200', async () => {
    for (const task of made) {
      expect(await customer.client.task(task.id)).toEqual(task);
    }
  });

  test("GET /v1/tasks/{id} answers another account's task with exactly the 404 of an unknown id", async () => {
    const foreign = await stranger.client.call('GET', `/v1/tasks/${made[0]?.id}`);
    const unknown = await stranger.client.call('GET', '/v1/tasks/gen_0000000000000000000000');
    expectError(foreign, 404, 'NOT_FOUND');
    expect(foreign.body.toString()).toBe(unknown.body.toString());
  });
});

describe('GET /v1/tasks', () => {
  test('GET /v1/tasks lists the own tasks, newest first, exactly as the single lookup gives them', async () => {
    const { items, pagination } = await customer.client.tasks();
    expect(items).toEqual([...made].reverse());
    expect(pagination).toEqual({ page: 1, per_page: 20, total: 5, total_pages: 1 });
  });

  test('GET /v1/tasks is empty, with 0 pages, for an account without tasks', async () => {
    expect(await stranger.client.tasks()).toEqual({
      items: [],
      pagination: { page: 1, per_page: 20, total: 0, total_pages: 0 },
    });
  });

  test('pages through everything once', async () => {
    const pages = await Promise.all(
      [1, 2, 3].map((page) => customer.client.tasks(`?page=${page}&per_page=2`)),
    );
    expect(pages.map(({ items }) => items.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(({ items }) => items)).toEqual([...made].reverse());
    expect(pages[1]?.pagination).toEqual({ page: 2, per_page: 2, total: 5, total_pages: 3 });
  });

  test('GET /v1/tasks has no maximum page: far beyond the end is an empty page', async () => {
    for (const page of [1_000_000, Number.MAX_SAFE_INTEGER]) {
      const { items, pagination } = await customer.client.tasks(`?page=${page}&per_page=100`);
      expect([items, pagination.page, pagination.total]).toEqual([[], page, 5]);
    }
    const far = await customer.client.tasks('?page=99999999999999999999&per_page=100');
    // Beyond what JSON can count exactly, the page that is told is the largest such number.
    const { page, total, total_pages } = far.pagination;
    expect([far.items, page, total, total_pages]).toEqual([[], Number.MAX_SAFE_INTEGER, 5, 1]);
  });

  test('GET /v1/tasks accepts per_page up to 100', async () => {
    expect((await customer.client.tasks('?per_page=100')).pagination.per_page).toBe(100);
  });

  test('GET /v1/tasks filters by status', async () => {
    expect(await getIds('?status=completed')).toEqual(idsWhere(({ status }) => status === 'completed'));
    expect(await getIds('?status=failed')).toEqual(idsWhere(({ status }) => status === 'failed'));
    expect(await getIds('?status=pending')).toEqual([]);
  });

  test('GET /v1/tasks filters by model and by type', async () => {
    expect(await getIds('?model=nanobanana-pro')).toEqual(
      idsWhere(({ model }) => model === 'nanobanana-pro'),
    );
    expect(await getIds('?type=image_edit')).toEqual(idsWhere(({ type }) => type === 'image_edit'));
    expect(await getIds('?type=image_generate&status=failed')).toEqual(
      idsWhere(({ status }) => status === 'failed'),
    );
  });

  test('GET /v1/tasks filters by the time of submission', async () => {
    const middle = encodeURIComponent(made[2]?.created_at ?? '');
    const after = await getIds(`?created_after=${middle}`);
    const before = await getIds(`?created_before=${middle}`);
    expect(after).toEqual(expect.arrayContaining(idsWhere((task) => made.indexOf(task) > 2)));
    expect(before).toEqual(expect.arrayContaining(idsWhere((task) => made.indexOf(task) < 2)));
    expect(after).not.toContain(made[1]?.id);
    expect(before).not.toContain(made[3]?.id);
    expect((await customer.client.tasks(`?created_after=${middle}`)).pagination.total).toBe(after.length);
    // The same moment in another time zone.
    const shifted = new Date(Date.parse(made[2]?.created_at ?? '') + 7_200_000)
      .toISOString()
      .replace('Z', '%2B02:00');
    expect(await getIds(`?created_after=${shifted}`)).toEqual(after);
  });

  test('GET /v1/tasks counts only what the filters let through', async () => {
    const { pagination } = await customer.client.tasks('?status=completed&per_page=3');
    expect(pagination).toEqual({ page: 1, per_page: 3, total: 4, total_pages: 2 });
  });

  test.each([
    'page=0',
    'page=-1',
    'page=x',
    'page=1.5',
    'page=',
    'page=1e3',
    'page=1&page=2',
    'per_page=0',
    'per_page=101',
    'per_page=x',
    'status=done',
    'status=',
    'type=video',
    'created_after=yesterday',
    'created_before=2026-13-45',
  ])('GET /v1/tasks answers ?%s with BAD_REQUEST', async (query) => {
    expectError(await customer.client.call('GET', `/v1/tasks?${query}`), 400, 'BAD_REQUEST');
  });
});
