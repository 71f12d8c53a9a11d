import { newApiKey } from '@image-gateway/shared/ids';
import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let caller = 0;

beforeAll(async () => {
  api = await startApi({ TRUST_PROXY: 'loopback' });
});
afterAll(() => api.stop());

// Each failure comes from another address, so that their limit is not what is tested.
const withHeader = (authorization?: string) =>
  api.call('/v1/tasks', {
    headers: {
      'x-forwarded-for': `198.51.100.${++caller}`,
      ...(authorization !== undefined && { authorization }),
    },
  });
const list = async (account: TestAccount) => (await api.call('/v1/tasks', { as: account })).status;
const sql = (text: string, ...values: unknown[]) => api.test.pool.query(text, values);

describe('the Authorization header', () => {
  test('missing: the exact message', async () => {
    const { status, json } = await withHeader();
    expect([status, json.error]).toEqual([
      401,
      { code: 'UNAUTHORIZED', message: 'Missing Authorization header' },
    ]);
  });

  test.each(['Basic eDp5', 'Bearer', 'Bearer ', 'Token abc', 'Bearer a b', 'Bearer,abc', 'abc', ''])(
    '%j: the expected format',
    async (header) => {
      const { status, json } = await withHeader(header);
      expect([status, json.error.code]).toEqual([401, 'UNAUTHORIZED']);
      expect(json.error.message).toContain('Bearer <token>');
    },
  );

  test('the Authorization header takes the scheme in any case, and one key only from it', async () => {
    const { apiKey } = await api.account();
    for (const scheme of ['bearer', 'BEARER', 'BeArEr']) {
      expect((await withHeader(`${scheme} ${apiKey}`)).status).toBe(200);
    }
    expect((await api.call(`/v1/tasks?api_key=${apiKey}`)).status).toBe(401);
    const twice = [
      ['authorization', `Bearer ${apiKey}`],
      ['authorization', 'Bearer x'],
    ] as [string, string][];
    expect((await fetch(`${api.url}/v1/tasks`, { headers: twice })).status).toBe(401);
  });
});

describe('keys', () => {
  test('malformed, unknown, expired and revoked get the same answer', async () => {
    const expired = await api.account();
    await sql("UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", expired.apiKeyId);
    const revoked = await api.account();
    await sql('UPDATE api_keys SET revoked_at = now() WHERE id = $1', revoked.apiKeyId);
    const keys = ['x', newApiKey().key, expired.apiKey, revoked.apiKey, `${expired.apiKey.slice(0, -1)}!`];
    const answers = await Promise.all(keys.map((key) => withHeader(`Bearer ${key}`)));
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 401));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('a key with a wrong checksum never reaches the database', async () => {
    const { key } = newApiKey();
    const holder = await api.test.pool.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    // A key that looks right is looked up, so it waits for the table; one that does not is answered meanwhile.
    const order: string[] = [];
    const lookedUp = withHeader(`Bearer ${key}`).then(() => order.push('looked up'));
    expect((await withHeader(`Bearer ${key.slice(0, -6)}000000`)).status).toBe(401);
    order.push('answered at once');
    await holder.query('ROLLBACK');
    holder.release();
    await lookedUp;
    expect(order).toEqual(['answered at once', 'looked up']);
  });

  test('keys that are revoked stop working within 5 s', async () => {
    const account = await api.account();
    expect(await list(account)).toBe(200);
    await sql('UPDATE api_keys SET revoked_at = now() WHERE id = $1', account.apiKeyId);
    await eventually(async () => expect(await list(account)).toBe(401), { timeoutMs: 5_000, everyMs: 100 });
  });

  test('stop working the moment they expire, also when they were good just before', async () => {
    const account = await api.account();
    const at = new Date(Date.now() + 1_500);
    await sql('UPDATE api_keys SET expires_at = $2 WHERE id = $1', account.apiKeyId, at);
    expect(await list(account)).toBe(200);
    await eventually(async () => expect(await list(account)).toBe(401), { everyMs: 20 });
    expect(Date.now() - at.getTime()).toBeLessThan(1_000);
  });

  test('note when they were used, at most once a minute', async () => {
    const account = await api.account();
    const used = async () =>
      (await sql('SELECT last_used_at FROM api_keys WHERE id = $1', account.apiKeyId)).rows[0]
        .last_used_at as Date | null;
    await list(account);
    const first = await eventually(async () => {
      const at = await used();
      expect(at).not.toBeNull();
      return at;
    });
    for (let i = 0; i < 20; i++) {
      await list(account);
    }
    expect(await used()).toEqual(first);
  });
});

describe('a suspended account', () => {
  test('a suspended account is FORBIDDEN within 5 s and comes back at once when it is resumed', async () => {
    const account = await api.account();
    expect(await list(account)).toBe(200);
    await sql("UPDATE accounts SET status = 'suspended' WHERE id = $1", account.id);
    const submit = await api.call('/v1/generate', {
      as: account,
      body: { model: 'nanobanana', prompt: 'x' },
    });
    expect([submit.status, submit.json.error.code]).toEqual([403, 'FORBIDDEN']);
    await eventually(async () => expect(await list(account)).toBe(403), { timeoutMs: 5_000, everyMs: 100 });
    await sql("UPDATE accounts SET status = 'active' WHERE id = $1", account.id);
    expect(await list(account)).toBe(200);
  });
});
