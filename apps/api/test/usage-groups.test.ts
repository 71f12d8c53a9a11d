import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

const get = (as: TestAccount, path: string) => api.call(path, { as });

describe('GET /v1/usage/summary by groups', () => {
  test('GET /v1/usage/summary by groups has the fields that the query names', async () => {
    const account = await api.account();
    const { completedAt } = await finishTask(api, account, { images: [Buffer.from('a'), Buffer.from('b')] });
    const at = completedAt?.toISOString() ?? '';
    const sums = { total_units: 2, total_cost: '$0.0200', request_count: 1 };
    const ask = async (query: string) => (await get(account, `/v1/usage/summary?${query}`)).json.data;
    expect(await ask(`group_by=hour,day,key,model&from=${at}`)).toEqual([
      {
        hour: `${at.slice(0, 13)}:00:00.000Z`,
        day: at.slice(0, 10),
        api_key_id: account.apiKeyId,
        model: 'nanobanana',
        ...sums,
      },
    ]);
    expect(await ask('group_by=key')).toEqual([{ api_key_id: account.apiKeyId, ...sums }]);
    expect(await ask('')).toEqual([{ model: 'nanobanana', ...sums }]);
  });

  test.each([
    'group_by=week',
    'group_by=day,',
    'group_by=',
    'include=all',
    'group_by=hour',
    'group_by=hour&from=2026-01-01&to=2026-01-08T00:00:00.001Z',
  ])('GET /v1/usage/summary refuses ?%s', async (query) => {
    const { status, json } = await get(await api.account(), `/v1/usage/summary?${query}`);
    expect([status, json.error.code]).toEqual([400, 'BAD_REQUEST']);
  });

  test('GET /v1/usage/summary by hour takes seven days', async () => {
    const query = 'group_by=hour&from=2026-01-01&to=2026-01-08';
    expect((await get(await api.account(), `/v1/usage/summary?${query}`)).json.data).toEqual([]);
  });

  test('GET /v1/usage refuses a format that is none', async () => {
    expect((await get(await api.account(), '/v1/usage?format=xml')).json.error.code).toBe('BAD_REQUEST');
  });
});
