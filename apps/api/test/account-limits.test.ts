import type { AccountLimitsBody } from '@image-gateway/shared/contract';
import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKey } from '../src/key/create-api-key.js';
import { accountLimits } from '../src/key/create-limits.js';
import { newOwner, type Owner } from './dashboard/support/people.js';
import { type Answer, startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let owner: Owner;

beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32), RATE_LIMIT_ACCOUNT: '12/60', RATE_LIMIT_KEY: '8/60' });
  await eventually(async () => expect((await api.call('/readyz')).json.data.redis).toBe('ok'));
});
afterAll(() => api.stop());

const newKey = async (name = 'k'): Promise<string> => {
  const { db } = api.test;
  return (await createApiKey({ db }, { accountId: owner.accountId, name, expiresAt: null, actor: 'test' }))
    .key;
};
const ask = (key: string): Promise<Answer> =>
  api.call('/v1/tasks', { headers: { authorization: `Bearer ${key}` } });
const count = (answers: readonly { readonly status: number }[], status: number): number =>
  answers.filter((answer) => answer.status === status).length;

const limit = (limits: AccountLimitsBody) =>
  accountLimits.change(api.test.db, { id: owner.accountId, limits, actor: 'test' });

describe('the limit of an account', () => {
  test('the limit of an account holds for all its keys and its playground together, and stands in the headers', async () => {
    owner = await newOwner(api);
    const [one, two] = [await newKey(), await newKey()];
    const first = await ask(one);
    expect(first.headers.get('ratelimit')).toBe('"key";r=7;t=8, "account";r=11;t=5');
    expect(count(await Promise.all(Array.from({ length: 7 }, () => ask(one))), 200)).toBe(7);
    expect(count(await Promise.all(Array.from({ length: 8 }, () => ask(two))), 200)).toBe(4);
    const refused = await ask(two);
    expect([refused.status, refused.json.error.message]).toEqual([429, expect.stringContaining('account')]);
    const body = { model: 'nanobanana', prompt: 'x' };
    expect((await owner.post('/generate', body)).status).toBe(429);
    expect((await (await newOwner(api)).post('/generate', body)).status).toBe(202);
  });

  test("the limit of an account is an operator's number in its seconds, as the headers say", async () => {
    owner = await newOwner(api);
    await limit({ requests: '7/700' });
    const { headers } = await ask(await newKey());
    expect(headers.get('ratelimit-policy')).toBe('"key";q=7;w=700, "account";q=7;w=700');
  });

  test("the limit of an account is an operator's number where there is one, however many keys the account makes", async () => {
    owner = await newOwner(api);
    await limit({ requests: '5/60' });
    const keys = await Promise.all(Array.from({ length: 10 }, () => newKey()));
    expect(count(await Promise.all(keys.map(ask)), 200)).toBe(5);
    expect((await owner.post('/generate', { model: 'nanobanana', prompt: 'x' })).status).toBe(429);
  });
});

describe('keys of an account', () => {
  test('keys of an account are a hundred active ones at most, also when they are made at once', async () => {
    owner = await newOwner(api);
    const made = await Promise.all(
      Array.from({ length: 110 }, (_, i) => owner.post('/keys', { name: String(i) })),
    );
    expect([count(made, 200), count(made, 400)]).toEqual([100, 10]);
    expect(made.find(({ status }) => status === 400)?.error?.message).toContain('at most 100 active keys');
    const [key] = made.filter(({ status }) => status === 200);
    const id = String(key?.data.id);
    expect((await owner.post(`/keys/${id}/rotate`, { grace_hours: 1 })).status).toBe(200);
    expect((await owner.post(`/keys/${id}/rotate`, { grace_hours: 1 })).status).toBe(400);
    expect((await owner.post(`/keys/${id}/revoke`)).status).toBe(200);
    expect((await owner.post('/keys', { name: 'x' })).status).toBe(400);
  });

  test('keys of an account are counted anew when an account that was locked is free: of two made at once only the hundredth is made', async () => {
    owner = await newOwner(api);
    await api.test.pool.query(
      `INSERT INTO api_keys (id, account_id, prefix, hash)
       SELECT 'key_' || $1 || i, $1, 'igw', sha256(($1 || i)::bytea) FROM generate_series(1, 99) i`,
      [owner.accountId],
    );
    const holder = await api.test.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [owner.accountId]);
    const made = Promise.allSettled([newKey(), newKey()]);
    await eventually(async () => {
      const { rows } = await api.test.pool.query(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%lock_account_and_count_keys%'`,
      );
      expect(rows[0].n).toBe(2);
    });
    await holder.query('COMMIT');
    holder.release();
    expect((await made).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
