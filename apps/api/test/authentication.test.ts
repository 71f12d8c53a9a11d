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
