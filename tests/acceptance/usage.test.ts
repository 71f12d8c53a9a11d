import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectError } from './support/expect-error.js';
import { newKey } from './support/product/accounts.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import type { Task } from './support/servers/wire.js';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let scene: Scene;
let customer: Customer;
let secondKeyId: string;
let plain: Task;
let pro: Task;

beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
  const second = await newKey(scene.product, customer.id);
  secondKeyId = second.id;
  plain = await customer.client.run({ prompt: 'sandbox:fixed', num_outputs: 3 });
  await customer.client.run({ prompt: 'sandbox:fail=moderation' });
  const other = scene.caller(second.key);
  pro = await other.run({
    prompt: 'sandbox:fixed',
    num_outputs: 2,
    model: 'nanobanana-pro',
    resolution: '4k',
  });
}, 700_000);
afterAll(() => scene.audit());

describe('GET /v1/usage', () => {
  test('GET /v1/usage has one record for each completed task and none for failed ones, newest first', async () => {
    const { items, pagination } = await customer.client.usage();
    expect(items).toEqual([
      {
        id: expect.any(String),
        task_id: pro.id,
        model: 'nanobanana-pro',
        type: 'image_generate',
        units: 2,
        cost: '$0.0640',
        created_at: expect.stringMatching(timestamp),
      },
      {
        id: expect.any(String),
        task_id: plain.id,
        model: 'nanobanana',
        type: 'image_generate',
        units: 3,
        cost: '$0.0300',
        created_at: expect.stringMatching(timestamp),
      },
    ]);
    expect(pagination).toEqual({ page: 1, per_page: 20, total: 2, total_pages: 1 });
  });

  test('pages', async () => {
    const { items, pagination } = await customer.client.usage('?page=2&per_page=1');
    expect(items.map(({ task_id }) => task_id)).toEqual([plain.id]);
    expect(pagination).toEqual({ page: 2, per_page: 1, total: 2, total_pages: 2 });
  });

  test.each([
    ['model', () => '?model=nanobanana', () => [plain.id]],
    ['api key', () => `?api_key_id=${secondKeyId}`, () => [pro.id]],
    ['end of the time span', () => '?to=2020-01-01T00:00:00Z', () => []],
    ['time span', () => '?from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00Z', () => [pro.id, plain.id]],
    ['begin of the time span', () => '?from=2100-01-01T00:00:00Z', () => []],
  ])('GET /v1/usage filters by %s', async (_, query, ids) => {
    const { items, pagination } = await customer.client.usage(query());
    expect(items.map(({ task_id }) => task_id)).toEqual(ids());
    expect(pagination.total).toBe(ids().length);
  });

  test.each(['page=0', 'per_page=101', 'from=x', 'to=x'])(
    'GET /v1/usage answers ?%s with BAD_REQUEST',
    async (query) => {
      expectError(await customer.client.call('GET', `/v1/usage?${query}`), 400, 'BAD_REQUEST');
    },
  );
});

describe('GET /v1/usage/summary', () => {
  const proEntry = { model: 'nanobanana-pro', total_units: 2, total_cost: '$0.0640', request_count: 1 };
  const plainEntry = { model: 'nanobanana', total_units: 3, total_cost: '$0.0300', request_count: 1 };

  test('GET /v1/usage/summary has one entry for each model with usage', async () => {
    const summary = await customer.client.summary();
    expect(summary).toHaveLength(2);
    expect(summary).toEqual(expect.arrayContaining([proEntry, plainEntry]));
  });

  test('GET /v1/usage/summary takes the same filters', async () => {
    expect(await customer.client.summary('?model=nanobanana')).toEqual([plainEntry]);
    expect(await customer.client.summary(`?api_key_id=${secondKeyId}`)).toEqual([proEntry]);
    expect(await customer.client.summary('?to=2020-01-01T00:00:00Z')).toEqual([]);
    const [oldest] = (await customer.client.usage()).items.slice(-1);
    expect(await customer.client.summary(`?from=${oldest?.created_at}`)).toHaveLength(2);
  });

  test('GET /v1/usage/summary is an empty list without usage', async () => {
    const newcomer = await scene.customer();
    expect(await newcomer.client.summary()).toEqual([]);
    expect((await newcomer.client.usage()).items).toEqual([]);
  });

  test.each(['from=x', 'to=x'])('GET /v1/usage/summary answers ?%s with BAD_REQUEST', async (query) => {
    expectError(await customer.client.call('GET', `/v1/usage/summary?${query}`), 400, 'BAD_REQUEST');
  });

  test('GET /v1/usage/summary adds up many tasks exactly', async () => {
    const buyer = await scene.customer();
    const runs = Array.from({ length: 12 }, (_, i) =>
      buyer.client.run({
        prompt: 'sandbox:fixed',
        num_outputs: 1 + (i % 4),
        model: i % 2 ? 'nanobanana' : 'nanobanana-pro',
      }),
    );
    await Promise.all(runs);
    const summary = await buyer.client.summary();
    expect(summary).toHaveLength(2);
    expect(summary).toEqual(
      expect.arrayContaining([
        { model: 'nanobanana', total_units: 18, total_cost: '$0.1800', request_count: 6 },
        { model: 'nanobanana-pro', total_units: 12, total_cost: '$0.1920', request_count: 6 },
      ]),
    );
  });
});
