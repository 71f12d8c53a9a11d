import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAccount } from '../../src/account/create-account.js';
import { setAccountStatus } from '../../src/account/set-account-status.js';
import { createDeviceCookies } from '../../src/user/auth/device-cookies.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import { newOperator, newOwner } from './support/people.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32), ALLOW_SIGNUP: 'true' });
});
afterAll(() => api.stop());

const credentials = () => ({ email: `new-${crypto.randomUUID()}@example.com`, password: 'long enough 7' });

describe('signing up', () => {
  test('signing up makes a log-in and an account without money', async () => {
    const browser = openBrowser(api);
    const { email, password } = credentials();
    expect((await browser.post('/sign-up', { email: email.toUpperCase(), password })).status).toBe(200);
    expect((await browser.get('/session')).data).toMatchObject({ user: null });
    expect((await browser.post('/sign-in', { email, password })).status).toBe(200);
    const { data } = await browser.get('/session');
    expect(data).toMatchObject({ user: { email, role: 'owner' }, account: { status: 'active' } });
    expect((await browser.get('/overview')).data).toMatchObject({ balance: '$0.00', held: '$0.00' });
  });

  test.each([
    ['no e-mail address', { email: 'nobody' }, 'VALIDATION_ERROR'],
    ['a short password', { password: 'short' }, 'VALIDATION_ERROR'],
    ['a password that is no text', { password: 12345678 }, 'VALIDATION_ERROR'],
  ])('signing up refuses %s', async (_what, wrong, code) => {
    const { status, error } = await openBrowser(api).post('/sign-up', { ...credentials(), ...wrong });
    expect({ status, code: error?.code }).toEqual({ status: 400, code });
  });

  test('signing up answers alike for an address that has an account, and leaves its log-in alone', async () => {
    const mine = credentials();
    const answers = [];
    for (const password of [mine.password, mine.password, 'another one 8']) {
      const startedAt = performance.now();
      const { status, headers, text } = await openBrowser(api).post('/sign-up', { ...mine, password });
      const isSlow = performance.now() - startedAt > 390;
      const names = [...headers.keys()].sort();
      answers.push({ status, text, names, cookies: headers.getSetCookie(), isSlow });
    }
    const [first] = answers;
    expect(first).toMatchObject({ status: 200, cookies: [], isSlow: true });
    expect(answers).toEqual([first, first, first]);
    expect((await openBrowser(api).post('/sign-in', { ...mine, password: 'another one 8' })).status).toBe(
      401,
    );
    expect((await openBrowser(api).post('/sign-in', mine)).status).toBe(200);
  });
});

describe('a session', () => {
  test('a session opens with the password that the command line hashed, and ends when its owner signs out', async () => {
    const owner = openBrowser(api);
    const { email, password } = credentials();
    await createAccount({ db: api.test.db }, { email, password, openingMicros: 0n, actor: 'test' });
    expect((await owner.post('/sign-in', { email, password })).status).toBe(200);
    const before = owner.cookie();
    expect((await owner.get('/overview')).status).toBe(200);
    expect((await owner.post('/sign-out')).status).toBe(200);
    expect(owner.cookie()).not.toContain('session');
    const { status, error } = await openBrowser(api).get('/overview', { cookie: before });
    expect({ status, code: error?.code }).toEqual({ status: 401, code: 'UNAUTHORIZED' });
  });

  test('a session has cookies that only the dashboard gets, no script reads and no other site sends', async () => {
    const { email, password } = await newOwner(api);
    const { headers } = await openBrowser(api).post('/sign-in', { email, password });
    const cookies = headers.getSetCookie();
    expect(cookies).toHaveLength(2);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/HttpOnly/i);
      expect(cookie).toMatch(/SameSite=Strict/i);
      expect(cookie).toMatch(/Path=\/dashboard(;|$)/i);
    }
  });

  test('a session is refused once it has expired', async () => {
    const owner = await newOwner(api);
    await api.test.pool.query(
      `UPDATE auth_sessions SET expires_at = now() - interval '1 second'
        WHERE user_id = (SELECT id FROM auth_users WHERE email = $1)`,
      [owner.email],
    );
    expect((await owner.get('/overview')).status).toBe(401);
    expect((await owner.get('/session')).data).toMatchObject({ user: null });
  });

  test('a session is refused with a cookie that somebody made up or changed', async () => {
    const owner = await newOwner(api);
    const changed = owner.cookie().replace(/=(.)/, (_all, first: string) => `=${first === 'a' ? 'b' : 'a'}`);
    expect((await openBrowser(api).get('/overview', { cookie: changed })).status).toBe(401);
  });

  test('a session of a suspended account changes nothing at once, reads on, and works again when it is resumed', async () => {
    const owner = await newOwner(api);
    const change = (status: 'active' | 'suspended') =>
      setAccountStatus({ db: api.test.db }, { accountId: owner.accountId, status, actor: 'test' });
    await change('suspended');
    const { status, error } = await owner.post('/keys', { name: 'x' });
    expect({ status, code: error?.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
    expect((await owner.get('/overview')).status).toBe(200);
    expect((await owner.get('/session')).data).toMatchObject({ account: { status: 'suspended' } });
    await change('active');
    expect((await owner.post('/keys', { name: 'x' })).status).toBe(200);
  });

  test('a session of a user who is locked out is refused', async () => {
    const owner = await newOwner(api);
    await api.test.pool.query('UPDATE auth_users SET banned = true WHERE email = $1', [owner.email]);
    expect((await owner.get('/overview')).status).toBe(401);
  });
});

test('a changed password ends every other session, and the old one opens none', async () => {
  const owner = await newOwner(api);
  const elsewhere = openBrowser(api);
  await elsewhere.post('/sign-in', owner);
  const next = 'a better one 42';
  expect((await owner.post('/password', { current: 'wrong', next })).error?.code).toBe('VALIDATION_ERROR');
  expect((await owner.post('/password', { current: owner.password, next: 'short' })).status).toBe(400);
  expect((await owner.post('/password', { current: owner.password, next })).status).toBe(200);
  expect((await owner.get('/overview')).status).toBe(200);
  expect((await elsewhere.get('/overview')).status).toBe(401);
  expect((await openBrowser(api).post('/sign-in', owner)).status).toBe(401);
  expect((await openBrowser(api).post('/sign-in', { email: owner.email, password: next })).status).toBe(200);
});

test('the list of sessions names this one, and the others can be ended', async () => {
  const owner = await newOwner(api);
  const elsewhere = openBrowser(api);
  await elsewhere.post('/sign-in', owner);
  const list = async () =>
    (await owner.get('/sessions')).data as unknown as { is_current: boolean; id: string }[];
  expect((await list()).filter(({ is_current }) => is_current)).toHaveLength(1);
  expect(await list()).toHaveLength(2);
  await owner.post('/sessions/end-others');
  expect(await list()).toHaveLength(1);
  expect((await elsewhere.get('/overview')).status).toBe(401);
});

test('log-ins, log-outs and changes of passwords stand in the audit log with user, account and address, without the passwords', async () => {
  const [owner, operator] = [await newOwner(api), await newOperator(api)];
  const elsewhere = openBrowser(api);
  await elsewhere.post('/sign-in', owner);
  expect((await elsewhere.post('/sign-in', { ...owner, password: 'wrong' })).status).toBe(401);
  await owner.post('/sessions/end-others');
  await owner.post('/sessions/end-others');
  await owner.post('/password', { current: 'wrong', next: 'a better one 42' });
  await owner.post('/password', { current: owner.password, next: 'a better one 42' });
  await owner.post('/sign-out');
  await owner.post('/sign-out');
  await operator.post('/sign-out');
  const list = async (email: string) => {
    const { rows } = await api.test.pool.query<{
      action: string;
      own: boolean;
      account: string | null;
      detail: object;
    }>(
      `SELECT a.action, a.subject = u.id AS own, a.account_id AS account, a.detail FROM audit_entries a, auth_users u
        WHERE u.email = $1 AND a.detail ->> 'actor' = $1 ORDER BY a.created_at, a.id`,
      [email],
    );
    expect(JSON.stringify(rows)).not.toMatch(/better one|battery/);
    return rows;
  };
  const detail = { actor: owner.email, address: '127.0.0.1' };
  const own = { own: true, account: owner.accountId };
  expect(await list(owner.email)).toEqual([
    { ...own, action: 'user.sign-in', detail },
    { ...own, action: 'user.sign-in', detail },
    { ...own, action: 'user.end-sessions', detail: { ...detail, sessions: 1 } },
    { ...own, action: 'user.change-password', detail },
    { ...own, action: 'user.sign-out', detail: { ...detail, sessions: 1 } },
  ]);
  expect(await list(operator.email)).toMatchObject([
    { action: 'user.sign-in', account: null },
    { action: 'user.sign-out', account: null },
  ]);
});

test('an operator has no account and none of the pages of owners; an owner none of the operators', async () => {
  const operator = await newOperator(api);
  expect((await operator.get('/session')).data).toMatchObject({ user: { role: 'operator' }, account: null });
  const { status, error } = await operator.get('/overview');
  expect({ status, code: error?.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
});

describe('a log-in that an operator sets', () => {
  test('a log-in that an operator sets opens the account, ends its old sessions, and is in the audit log without the password', async () => {
    const [operator, owner, other] = [await newOperator(api), await newOwner(api), await newOwner(api)];
    const set = (body: object) => operator.post(`/operator/accounts/${owner.accountId}/set-password`, body);
    const { email, password } = credentials();
    expect((await set({ email, password })).data).toEqual({ email });
    const browser = openBrowser(api);
    await browser.post('/sign-in', { email, password });
    expect((await browser.get('/overview')).data).toMatchObject({ balance: '$10.0000' });
    expect((await owner.get('/overview')).status).toBe(200);
    expect((await set({ email: owner.email, password })).status).toBe(200);
    expect((await owner.get('/overview')).status).toBe(401);
    for (const taken of [other.email, operator.email]) {
      expect((await set({ email: taken, password })).error?.code).toBe('BAD_REQUEST');
    }
    expect((await set({ email, password: 'short' })).error?.code).toBe('VALIDATION_ERROR');
    expect((await owner.post(`/operator/accounts/${owner.accountId}/set-password`, {})).status).toBe(401);
    const { rows } = await api.test.pool.query(
      "SELECT detail FROM audit_entries WHERE action = 'account.set-password' AND subject = $1 ORDER BY created_at",
      [owner.accountId],
    );
    expect(rows.map(({ detail }) => detail as unknown)).toEqual([
      { actor: operator.email, email },
      { actor: operator.email, email: owner.email },
    ]);
  });
});

test('a change of AUTH_SECRET ends no session while the former one stands behind the new one', async () => {
  const [former, next] = ['x'.repeat(32), 'y'.repeat(32)];
  const person = await newOwner(api);
  const startWith = (AUTH_SECRET: string) =>
    startApi({ AUTH_SECRET, DATABASE_URL: api.test.url, ALLOW_SIGNUP: 'true' });
  const [during, after] = await Promise.all([startWith(`${next},${former}`), startWith(next)]);
  try {
    const find = async (at: TestApi, cookie: string) =>
      (await openBrowser(at).get('/session', { cookie })).data.user;
    const user = { email: person.email };
    expect(await find(during, person.cookie())).toMatchObject(user);
    expect(await find(after, person.cookie())).toBeNull();
    const forged = person.cookie().replace(/(session_token=.)[^.]*/, '$1stolen');
    expect(await find(during, forged)).toBeNull();

    const browser = openBrowser(during);
    await browser.post('/sign-in', { email: person.email, password: person.password });
    expect(await find(after, browser.cookie())).toMatchObject(user);

    const devices = (...secrets: [string, ...string[]]) =>
      createDeviceCookies({ db: api.test.db, secrets, baseUrl: api.url });
    expect(await devices(next, former).find(person.cookie(), person.email)).not.toBeNull();
    expect(await devices(next).find(person.cookie(), person.email)).toBeNull();
    expect(await devices(next).find(browser.cookie(), person.email)).not.toBeNull();
  } finally {
    await Promise.all([during.stop(), after.stop()]);
  }
});
