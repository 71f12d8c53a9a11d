import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from '../cli/support/run-command.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import { newOperator, newOwner, type Person } from './support/people.js';

/** Some of those that the test of `normalizeEmail` lists: a domain and a name beyond ASCII, and characters with a meaning elsewhere. */
const ADDRESSES = ['a@bücher.example', 'ünï@example.com', "o'b%$@example.com"];
const password = 'correct horse 9 battery';

let api: TestApi;
let operator: Person;
let client = 0;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32), ALLOW_SIGNUP: 'true', TRUST_PROXY: 'loopback' });
  operator = await newOperator(api);
});
afterAll(() => api.stop());

const from = () => ({ 'x-forwarded-for': `198.51.100.${++client % 250}` });
const signIn = async (email: string, word = password): Promise<number> =>
  (await openBrowser(api).post('/sign-in', { email, password: word }, from())).status;
const signUp = async (email: string): Promise<number> =>
  (await openBrowser(api).post('/sign-up', { email, password }, from())).status;
const sql = (text: string, ...values: unknown[]) => api.test.db.prisma.$executeRawUnsafe(text, ...values);
const run = (...args: string[]) => runCommand({ db: api.test.db }, ...args);

describe('an e-mail address', () => {
  test.each(ADDRESSES)('%s that signs up can sign in', async (address) => {
    const email = `up.${address}`;
    expect(await signUp(email)).toBe(200);
    expect(await signIn(` ${email.toUpperCase().toLowerCase()} `)).toBe(200);
    expect(await signIn(email, `${password}!`)).toBe(401);
  });

  test.each(ADDRESSES)('%s of every command can sign in, and after a reset', async (address) => {
    for (const [noun, email] of [
      ['account', `account.${address}`],
      ['operator', `operator.${address}`],
    ] as const) {
      const made = await run(noun, 'create', '--email', email, '--password', password);
      expect([email, made.code]).toEqual([email, 0]);
      expect([email, await signIn(email)]).toEqual([email, 200]);
    }
    const { value } = await run('account', 'create', '--email', `bare.${address}`);
    const id = String(value.id);
    const set = await run('account', 'set-password', id, '--email', `set.${address}`, '--password', password);
    expect([set.code, await signIn(`set.${address}`)]).toEqual([0, 200]);
    const again = { email: `set.${address}`, password: `${password}2` };
    expect((await operator.post(`/operator/accounts/${id}/set-password`, again)).status).toBe(200);
    expect(await signIn(again.email, again.password)).toBe(200);
    const { users } = (await operator.get(`/operator/accounts/${id}`)).data as { users: { id: string }[] };
    const path = `/operator/accounts/${id}/users/${users[0]?.id}/reset-password`;
    const reset = (await operator.post(path)).data as { password: string };
    expect(await signIn(again.email, reset.password)).toBe(200);
  });

  test('is one address however its domain is written, and nobody else can have it', async () => {
    expect(await signUp('one@bücher.example')).toBe(200);
    expect(await signIn('one@xn--bcher-kva.example')).toBe(200);
    expect(await signIn('ONE@BÜCHER.example')).toBe(200);
    const twice = await run('account', 'create', '--email', 'one@xn--bcher-kva.example');
    expect(twice.value).toMatchObject({ error: { code: 'BAD_REQUEST' } });
  });

  test('that an earlier version stored as it was typed can sign in', async () => {
    const owner = await newOwner(api);
    await sql(`UPDATE auth_users SET email = 'früh@früher.example' WHERE email = $1`, owner.email);
    expect(await signIn('früh@früher.example')).toBe(200);
  });

  test('that is none is refused by every door', async () => {
    const email = 'a@localhost';
    expect(await signUp(email)).toBe(400);
    for (const noun of ['account', 'operator']) {
      expect((await run(noun, 'create', '--email', email, '--password', password)).code).toBe(1);
    }
    const owner = await newOwner(api);
    const body = { email, password };
    expect((await operator.post(`/operator/accounts/${owner.accountId}/set-password`, body)).status).toBe(
      400,
    );
  });

  test('counts as confirmed only once it was', async () => {
    const email = 'typed@example.com';
    await run('account', 'create', '--email', email, '--password', password);
    expect(await api.test.db.prisma.authUser.findUnique({ where: { email } })).toMatchObject({
      emailVerified: false,
    });
  });
});

test('a password of white space alone is refused', async () => {
  const { status, error } = await openBrowser(api).post(
    '/sign-up',
    { email: 'blank@example.com', password: ' '.repeat(8) },
    from(),
  );
  expect([status, error?.message]).toEqual([
    400,
    'A password has 8 to 128 characters, not only white space.',
  ]);
});

test('a user has at most fifty sessions: a further one ends the one that was used longest ago', async () => {
  const owner = await newOwner(api);
  await sql(
    `INSERT INTO auth_sessions (id, token, user_id, expires_at, updated_at)
     SELECT 'usr_' || n, 'token' || n, (SELECT id FROM auth_users WHERE email = $1),
            now() + CASE WHEN n < 5 THEN interval '-1 minute' ELSE interval '1 day' END, now() - make_interval(mins => n)
       FROM generate_series(1, 60) n`,
    owner.email,
  );
  expect(await signIn(owner.email)).toBe(200);
  const sessions = await api.test.db.prisma.authSession.findMany({ where: { user: { email: owner.email } } });
  const ids = sessions.map(({ id }) => id);
  expect(ids).toHaveLength(46);
  expect(ids).toContain('usr_48');
  expect(ids).not.toContain('usr_49');
  expect(ids).not.toContain('usr_1');
  expect((await owner.get('/overview')).status).toBe(200);
});
