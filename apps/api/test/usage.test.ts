import { newId } from '@image-gateway/shared/ids';
import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;
let otherKeyId: string;

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 1);
const MODELS = ['nanobanana', 'nanobanana-pro'] as const;

interface UsageItem {
  readonly model: string;
  readonly units: number;
  readonly cost: string;
  readonly created_at: string;
}

/** Writes usage at a time of the test's choice, records and roll-up, as a settlement does. */
async function use(at: Date, index: number): Promise<void> {
  const task = await finishTask(api, account, { images: [], settle: false });
  const model = MODELS[index % 2];
  const keyId = index % 3 === 0 ? otherKeyId : account.apiKeyId;
  const values = [
    newId('use'),
    task.id,
    account.id,
    keyId,
    model,
    1 + (index % 4),
    10_000 * (1 + (index % 4)),
    at,
  ];
  await api.test.pool.query(
    `WITH record AS (
       INSERT INTO usage_records (id, task_id, account_id, api_key_id, model, type, units, cost_micros, created_at)
       VALUES ($1, $2, $3, $4, $5, 'image_generate', $6, $7, $8) RETURNING *),
     counted AS (UPDATE accounts SET usage_count = usage_count + 1 WHERE id = $3)
     INSERT INTO usage_daily AS d (account_id, api_key_id, model, day, units, cost_micros, requests)
     SELECT account_id, api_key_id, model, (created_at AT TIME ZONE 'UTC')::date, units, cost_micros, 1 FROM record
     ON CONFLICT (account_id, day, model, api_key_id) DO UPDATE SET units = d.units + EXCLUDED.units,
       cost_micros = d.cost_micros + EXCLUDED.cost_micros, requests = d.requests + 1`,
    values,
  );
}

beforeAll(async () => {
  api = await startApi();
  account = await api.account();
  otherKeyId = (await api.account()).apiKeyId;
  // Over ten days, some of it at the very edges of a day.
  const edges = [0, 1, DAY_MS - 1, DAY_MS, 3 * DAY_MS - 1, 3 * DAY_MS, 3 * DAY_MS + 1];
  const spread = Array.from({ length: 33 }, (_, i) => Math.floor((i * 10 * DAY_MS) / 33) + i * 977);
  for (const [index, offset] of [...edges, ...spread].entries()) {
    await use(new Date(START + offset), index);
  }
});
afterAll(() => api.stop());

const micros = (dollars: string) => Math.round(Number(dollars.slice(1)) * 1e6);

function sumUp(items: readonly UsageItem[]) {
  const models = [...new Set(items.map(({ model }) => model))].sort();
  return models.map((model) => {
    const own = items.filter((item) => item.model === model);
    return {
      model,
      total_units: own.reduce((sum, { units }) => sum + units, 0),
      total_micros: own.reduce((sum, { cost }) => sum + micros(cost), 0),
      request_count: own.length,
    };
  });
}

function sumUpDays(items: readonly UsageItem[]) {
  const days = [...new Set(items.map(({ created_at }) => created_at.slice(0, 10)))].sort();
  return days.map((day) => {
    const own = items.filter(({ created_at }) => created_at.startsWith(day));
    const total = own.reduce((sum, { cost }) => sum + micros(cost), 0);
    return {
      day,
      total_units: own.reduce((sum, { units }) => sum + units, 0),
      total_cost: `$${(total / 1e6).toFixed(4)}`,
      request_count: own.length,
    };
  });
}

describe('GET /v1/usage/summary', () => {
  test('GET /v1/usage/summary is the sum of what GET /v1/usage lists, for any span, model and key', async () => {
    const offset = fc.option(
      fc.oneof(
        fc.integer({ min: -DAY_MS, max: 11 * DAY_MS }),
        fc.integer({ min: -1, max: 11 }).map((day) => day * DAY_MS),
      ),
      { nil: undefined },
    );
    const queries = fc.record({
      from: offset,
      to: offset,
      model: fc.constantFrom(undefined, ...MODELS),
      api_key_id: fc.constantFrom(undefined, account.apiKeyId, otherKeyId),
    });
    await fc.assert(
      fc.asyncProperty(queries, async ({ from, to, model, api_key_id }) => {
        const query = new URLSearchParams({ per_page: '100' });
        if (from !== undefined) {
          query.set('from', new Date(START + from).toISOString());
        }
        if (to !== undefined) {
          query.set('to', new Date(START + to).toISOString());
        }
        if (model !== undefined) {
          query.set('model', model);
        }
        if (api_key_id !== undefined) {
          query.set('api_key_id', api_key_id);
        }
        const list = await api.call(`/v1/usage?${query}`, { as: account });
        const summary = await api.call(`/v1/usage/summary?${query}`, { as: account });
        const sums = summary.json.data as unknown as readonly { readonly total_cost: string }[];
        const found = sums.map(({ total_cost, ...entry }) => ({
          ...entry,
          total_micros: micros(total_cost),
        }));
        const items = list.json.data.items as unknown as readonly UsageItem[];
        expect(found).toEqual(sumUp(items));
        const byDay = await api.call(`/v1/usage/summary?group_by=day&${query}`, { as: account });
        expect(byDay.json.data).toEqual(sumUpDays(items));
      }),
      { numRuns: 150 },
    );
  });

  test('GET /v1/usage/summary is an empty list without usage, and for a span that ends before it begins', async () => {
    const nobody = await api.account();
    expect((await api.call('/v1/usage/summary', { as: nobody })).json.data).toEqual([]);
    const { json } = await api.call('/v1/usage/summary?from=2026-01-05&to=2026-01-02', { as: account });
    expect(json.data).toEqual([]);
  });

  test("GET /v1/usage/summary shows nothing of another account's key", async () => {
    const nobody = await api.account();
    const { json } = await api.call(`/v1/usage/summary?api_key_id=${account.apiKeyId}`, { as: nobody });
    expect(json.data).toEqual([]);
  });
});

describe('GET /v1/usage', () => {
  test('GET /v1/usage lists the record of a settled task, newest first, `from` inclusive and `to` exclusive', async () => {
    const buyer = await api.account();
    const task = await finishTask(api, buyer, { images: [Buffer.from('a'), Buffer.from('b')] });
    const { json } = await api.call('/v1/usage', { as: buyer });
    expect(json.data.pagination).toEqual({ page: 1, per_page: 20, total: 1, total_pages: 1 });
    const [item] = json.data.items;
    expect(item).toEqual({
      id: expect.stringMatching(/^use_/),
      task_id: task.id,
      model: 'nanobanana',
      type: 'image_generate',
      units: 2,
      cost: '$0.0200',
      created_at: task.completedAt?.toISOString(),
    });
    const total = async (query: string) =>
      (await api.call(`/v1/usage?${query}`, { as: buyer })).json.data.pagination.total;
    expect([await total(`from=${item?.created_at}`), await total(`to=${item?.created_at}`)]).toEqual([1, 0]);
  });

  test.each(['from=x', 'to=2026-13-01', 'model=x', 'api_key_id=x', 'per_page=101'])(
    '?%s is BAD_REQUEST, in the list and in the summary',
    async (query) => {
      const list = await api.call(`/v1/usage?${query}`, { as: account });
      expect([list.status, list.json.error.code]).toEqual([400, 'BAD_REQUEST']);
      if (/page/.test(query)) {
        return;
      }
      expect((await api.call(`/v1/usage/summary?${query}`, { as: account })).status).toBe(400);
    },
  );
});
