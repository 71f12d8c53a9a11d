import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from '../cli/support/run-command.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOwner, type Owner } from './support/people.js';

interface Key {
  id: string;
  key: string;
  name: string;
  prefix: string;
  expires_at: string | null;
  revoked_at: string | null;
  replaced_by: string | null;
}

let api: TestApi;
let owner: Owner;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  owner = await newOwner(api);
});
afterAll(() => api.stop());

const create = async (body: object): Promise<Key> => (await owner.post('/keys', body)).data as unknown as Key;
const list = async (): Promise<Key[]> => (await owner.get('/keys')).data as unknown as Key[];
const works = async (key: string): Promise<number> =>
  (await api.call('/v1/tasks', { headers: { authorization: `Bearer ${key}` } })).status;

describe('a key', () => {
  test('a key works at once, is shown once, and only its beginning is kept', async () => {
    const made = await create({ name: ' production ' });
    expect(await works(made.key)).toBe(200);
    expect(made.key.startsWith(made.prefix)).toBe(true);
    const { text } = await owner.get('/keys');
    expect(text).not.toContain(made.key);
    expect(text).toContain(made.prefix);
    expect((await list()).find(({ id }) => id === made.id)?.name).toBe('production');
  });

  test.each([
    ['an end that has passed', { name: 'x', expires_at: '2020-01-01T00:00:00Z' }],
    ['an end that is no time', { name: 'x', expires_at: 'soon' }],
    ['a name that is too long', { name: 'x'.repeat(101) }],
    ['no object', []],
  ])('a key is not made with %s', async (_what, body) => {
    const { status, error } = await owner.post('/keys', body);
    expect({ status, code: error?.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
  });

  test.each([
    ['cap_day_per', { cap_day_per: 'user=0.1' }],
    ['limits.cap_dya', { limits: { cap_dya: '1.00' } }],
    ['limits.caps', { limits: { cap_day: '1.00', caps: { day: '1.00' } } }],
    [`${'x'.repeat(100)}…`, { ['x'.repeat(300)]: 1 }],
  ])('a key is not made with a misspelt limit, which is named: %s', async (field, body) => {
    const before = (await list()).length;
    const { status, error } = await owner.post('/keys', { name: 'x', ...body });
    const message = `${field} is not a field of this request.`;
    expect({ status, error }).toEqual({ status: 400, error: expect.objectContaining({ message }) });
    expect(await list()).toHaveLength(before);
  });

  test('a key keeps its limits when a change of them names one that does not exist', async () => {
    const made = await create({ name: 'capped', limits: { cap_day: '1.00' } });
    const { status, error } = await owner.post(`/keys/${made.id}/limits`, {
      cap_day: '2.00',
      capmonth: '3.00',
    });
    expect({ status, message: error?.message }).toEqual({
      status: 400,
      message: 'capmonth is not a field of this request.',
    });
    expect((await list()).find(({ id }) => id === made.id)).toMatchObject({
      caps: { day: { limit: '$1.0000' } },
    });
  });

  test('a key is refused for good within 5 s of being revoked, also when it was in use', async () => {
    const made = await create({ name: 'short-lived' });
    expect(await works(made.key)).toBe(200);
    const { status } = await owner.post(`/keys/${made.id}/revoke`);
    expect(status).toBe(200);
    expect((await list()).find(({ id }) => id === made.id)?.revoked_at).not.toBeNull();
    await eventually(async () => expect(await works(made.key)).toBe(401), { timeoutMs: 5_000 });
    expect((await owner.post(`/keys/${made.id}/rotate`, { grace_hours: 1 })).status).toBe(404);
  });
});

describe('limits of a key', () => {
  const limits = {
    models: ['nanobanana'],
    scopes: ['generate'],
    allowed_cidrs: ['127.0.0.0/8', '::1'],
    cap_day: '0.02',
    cap_total: '5',
    join_equal: true,
  };
  const find = async (id: string) => (await list()).find((key) => key.id === id);

  test('limits of a key hold from its first request on, and the list shows what is used', async () => {
    const made = await create({ name: 'limited', limits });
    const submit = (num_outputs: number) =>
      api.call('/v1/generate', {
        headers: { authorization: `Bearer ${made.key}` },
        body: { model: 'nanobanana', prompt: 'x', num_outputs },
      });
    expect([(await submit(2)).status, (await submit(1)).json.error.code]).toEqual([
      202,
      'INSUFFICIENT_BALANCE',
    ]);
    expect(await works(made.key)).toBe(403);
    const { cap_day, cap_total, ...rest } = limits;
    expect(await find(made.id)).toMatchObject({
      ...rest,
      caps: { day: { limit: '$0.0200', used: '$0.0200' }, total: { limit: '$5.0000', used: '$0.0200' } },
    });
  });

  test('limits of a key are changed one by one within 5 s, and who did it is in the audit log', async () => {
    const made = await create({ name: 'changed', limits });
    expect(
      (await owner.post(`/keys/${made.id}/limits`, { scopes: ['read'], cap_day: null, join_equal: false }))
        .status,
    ).toBe(200);
    await eventually(async () => expect(await works(made.key)).toBe(200), { timeoutMs: 5_000 });
    expect(await find(made.id)).toMatchObject({
      models: ['nanobanana'],
      scopes: ['read'],
      caps: { total: { limit: '$5.0000' } },
      join_equal: false,
    });
    const { rows } = await api.test.pool.query(
      "SELECT detail FROM audit_entries WHERE action = 'key.update' AND subject = $1",
      [made.id],
    );
    expect(rows).toEqual([
      {
        detail: {
          actor: owner.email,
          scopes: ['read'],
          capDay: null,
          joinEqual: false,
          before: { scopes: limits.scopes, capDay: expect.stringMatching(/^\$/), joinEqual: true },
        },
      },
    ]);
  });

  test('limits of a key of another account are not changed', async () => {
    const made = await create({ name: 'own', limits });
    const stranger = await newOwner(api);
    expect((await stranger.post(`/keys/${made.id}/limits`, { cap_total: null })).status).toBe(404);
    expect(await find(made.id)).toMatchObject({ caps: { total: { limit: '$5.0000' } } });
  });

  test.each([
    ['a cap of nothing', { cap_day: '0' }],
    ['a cap that is no amount', { cap_month: 'much' }],
    ['a negative cap', { cap_total: '-1' }],
    ['a scope that is none', { scopes: ['admin'] }],
    ['no scope', { scopes: [] }],
    ['a network that is none', { allowed_cidrs: ['192.0.2.0/33'] }],
    ['sharing that is a word', { join_equal: 'on' }],
    ['a model that is no id', { models: ['No Model'] }],
    ['models that are none', { models: null }],
    ['a list for a cap', { cap_day: ['5.00'] }],
    ['a number for a cap', { cap_total: 5 }],
    ['an object for a cap', { cap_day: { toString: 1 } }],
    ['an object for a network', { allowed_cidrs: [{ toString: 1 }] }],
    ['a cap by value without a key', { cap_day_per: '5.00' }],
    ['a cap by value that is no amount', { cap_day_per: 'user=much' }],
    ['too many networks', { allowed_cidrs: Array.from({ length: 101 }, () => '192.0.2.1') }],
  ])('limits of a key are refused with %s', async (_what, body) => {
    const made = await create({ name: 'x' });
    for (const { status, error } of [
      await owner.post(`/keys/${made.id}/limits`, body),
      await owner.post('/keys', { name: 'x', limits: body }),
    ]) {
      expect({ status, code: error?.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
    }
  });
});

describe('rotating a key', () => {
  test('rotating a key gives a new one with its name; the old one works on for the grace time and no longer', async () => {
    const old = await create({ name: 'rotated', limits: { join_equal: true } });
    const fresh = (await owner.post(`/keys/${old.id}/rotate`, { grace_hours: 24 })).data as unknown as Key;
    expect([await works(fresh.key), await works(old.key)]).toEqual([200, 200]);
    const keys = await list();
    expect(keys.find(({ id }) => id === fresh.id)).toMatchObject({
      name: 'rotated',
      expires_at: null,
      join_equal: true,
    });
    const end = Date.parse(keys.find(({ id }) => id === old.id)?.expires_at ?? '');
    expect(Math.abs(end - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
  });

  test('rotating a key without grace time ends the old one at once', async () => {
    const old = await create({ name: 'leaked' });
    const fresh = (await owner.post(`/keys/${old.id}/rotate`, { grace_hours: 0 })).data as unknown as Key;
    expect([await works(fresh.key), await works(old.key)]).toEqual([200, 401]);
  });

  test('rotating a key lets no key live longer than it would have', async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const old = await create({ name: 'ends soon', expires_at: end });
    const fresh = (await owner.post(`/keys/${old.id}/rotate`, { grace_hours: 720 })).data as unknown as Key;
    const keys = await list();
    for (const id of [old.id, fresh.id]) {
      expect(keys.find((key) => key.id === id)?.expires_at).toBe(end);
    }
  });

  test('rotating a key takes only the grace times that are offered', async () => {
    const old = await create({ name: 'x' });
    expect((await owner.post(`/keys/${old.id}/rotate`, { grace_hours: 100_000 })).status).toBe(400);
  });

  test('rotating a key keeps what is used of its caps: the old key and the new one share them, from the page and the command line', async () => {
    const old = await create({ name: 'capped', limits: { cap_day: '0.03', cap_total: '0.05' } });
    const submit = async (key: string, num_outputs: number) =>
      (
        await api.call('/v1/generate', {
          headers: { authorization: `Bearer ${key}` },
          body: { model: 'nanobanana', prompt: 'x', num_outputs },
        })
      ).status;
    expect(await submit(old.key, 1)).toBe(202);
    const fresh = (await owner.post(`/keys/${old.id}/rotate`, { grace_hours: 24 })).data as unknown as Key;
    const third = (
      await runCommand<Key>({ db: api.test.db }, 'key', 'rotate', fresh.id, '--grace-hours', '24')
    ).value;
    expect(third).toMatchObject({ id: expect.stringMatching(/^key_/), prefix: expect.any(String) });
    expect(await submit(third.key, 3)).toBe(403);
    expect(await submit(third.key, 1)).toBe(202);
    const both = await Promise.all([submit(old.key, 1), submit(third.key, 1), submit(fresh.key, 1)]);
    expect(both.sort()).toEqual([202, 403, 403]);
    for (const id of [old.id, fresh.id, third.id]) {
      expect((await list()).find((key) => key.id === id)).toMatchObject({
        caps: { day: { used: '$0.0300' }, total: { used: '$0.0300' } },
      });
    }
    expect((await list()).map(({ replaced_by }) => replaced_by)).toEqual(
      expect.arrayContaining([fresh.id, third.id]),
    );
  });

  test('rotating a key stands in the audit log with who did it, without the key', async () => {
    const old = await create({ name: 'audited' });
    const fresh = (await owner.post(`/keys/${old.id}/rotate`, { grace_hours: 1 })).data as unknown as Key;
    const { rows } = await api.test.pool.query(
      "SELECT action, detail::text FROM audit_entries WHERE subject = $1 AND action = 'key.rotate'",
      [old.id],
    );
    expect(rows).toEqual([{ action: 'key.rotate', detail: expect.stringContaining(owner.email) }]);
    expect(JSON.stringify(rows)).not.toContain(fresh.key);
  });
});
