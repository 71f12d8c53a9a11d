import { newApiKey } from '@image-gateway/shared/ids';
import { describe, expect, test } from '@jest/globals';
import { createAuthenticator } from './authenticate.js';

const { key } = newApiKey();

/** A database with one key, a clock to turn, and a count of the questions. */
function scene() {
  const state = {
    now: Date.now(),
    asked: 0,
    cidrs: [] as readonly string[],
    row: { id: 'key_1', accountId: 'acc_1', expiresInMs: null, maxRequests: null, accountStatus: 'active' } as
      | object
      | null,
    fails: false,
  };
  const run = async () => {
    state.asked++;
    if (state.fails) {
      throw new Error('down');
    }
    return state.row
      ? [{ models: [], scopes: ['generate', 'read'], allowedCidrs: state.cidrs, ...state.row }]
      : [];
  };
  const used: string[] = [];
  const { authenticate: check, isUnknown } = createAuthenticator({
    db: { run: run as never },
    onUse: (id) => used.push(id),
    now: () => state.now,
  });
  const authenticate = (token: string, address = '192.0.2.7') => check(token, address);
  return { state, used, authenticate, isUnknown };
}

describe('authentication', () => {
  test.each([
    [['192.0.2.0/24'], '192.0.2.255', true],
    [['192.0.2.0/24'], '::ffff:192.0.2.1', true],
    [['192.0.2.0/24'], '192.0.3.0', false],
    [['192.0.2.9', '2001:db8::/32'], '2001:db8:ffff::1', true],
    [['192.0.2.9', '2001:db8::/32'], '192.0.2.9', true],
    [['2001:db8::/32'], '2001:db9::1', false],
    [['2001:db8::/32'], '192.0.2.9', false],
    [['192.0.2.0/24'], '', false],
    [['fe80::/10'], 'fe80::1%eth0', true],
  ])('a key for %j is valid from %s: %s', async (cidrs, address, isValid) => {
    const { state, used, authenticate } = scene();
    state.cidrs = cidrs;
    const answer = authenticate(key, address);
    await (isValid ? answer : expect(answer).rejects.toMatchObject({ code: 'FORBIDDEN' }));
    expect(used).toEqual(isValid ? ['key_1'] : []);
  });

  test('authentication asks the database once for many requests of one moment, and again after less than 5 s', async () => {
    const { state, authenticate } = scene();
    await Promise.all(Array.from({ length: 50 }, () => authenticate(key)));
    await authenticate(key);
    expect(state.asked).toBe(1);
    state.now += 4_999;
    await authenticate(key);
    expect(state.asked).toBe(2);
  });

  test('remembers a refusal for a second, and not a moment longer', async () => {
    const { state, authenticate } = scene();
    state.row = null;
    for (const ms of [0, 999]) {
      state.now += ms;
      await expect(authenticate(key)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    }
    expect(state.asked).toBe(1);
    state.now += 1;
    state.row = { id: 'key_1', accountId: 'acc_1', expiresInMs: null, accountStatus: 'suspended' };
    await expect(authenticate(key)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    state.row = {
      id: 'key_1',
      accountId: 'acc_1',
      expiresInMs: null,
      maxRequests: null,
      accountStatus: 'active',
    };
    await expect(authenticate(key)).resolves.toMatchObject({ accountId: 'acc_1', apiKeyId: 'key_1' });
  });

  test('authentication looks at the expiry of a remembered key on every request', async () => {
    const { state, authenticate } = scene();
    state.row = {
      id: 'key_1',
      accountId: 'acc_1',
      expiresInMs: 1_000,
      maxRequests: null,
      accountStatus: 'active',
    };
    await authenticate(key);
    state.now += 2_000;
    await expect(authenticate(key)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(state.asked).toBe(1);
  });

  test('authentication knows a key that was good before and one that was just refused, and calls all others strangers', async () => {
    const { state, authenticate, isUnknown } = scene();
    expect([isUnknown(key), isUnknown(`${key}x`)]).toEqual([true, false]);
    await authenticate(key);
    state.now += 60_000;
    expect(isUnknown(key)).toBe(false);
    state.row = null;
    await expect(authenticate(key)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(isUnknown(key)).toBe(false);
    state.now += 1_000;
    expect(isUnknown(key)).toBe(true);
  });

  test('inventing keys forgets no good one', async () => {
    const { state, authenticate, isUnknown } = scene();
    await authenticate(key);
    state.row = null;
    for (let i = 0; i < 10_001; i++) {
      await authenticate(newApiKey().key).catch(() => undefined);
    }
    expect(isUnknown(key)).toBe(false);
  });

  test('authentication does not ask for what is no key of ours, and notes only good keys', async () => {
    const { state, used, authenticate } = scene();
    await expect(authenticate(`${key}x`)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect([state.asked, used]).toEqual([0, []]);
    await authenticate(key);
    expect(used).toEqual(['key_1']);
  });

  test('authentication passes trouble of the database on, and asks again next time', async () => {
    const { state, authenticate } = scene();
    state.fails = true;
    await expect(authenticate(key)).rejects.toThrow('down');
    state.fails = false;
    await authenticate(key);
    expect(state.asked).toBe(2);
  });
});
