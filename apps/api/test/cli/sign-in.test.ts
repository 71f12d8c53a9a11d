import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openBrowser } from '../dashboard/support/browser.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { runCommand } from './support/run-command.js';

const PASSWORD = 'correct horse 9 battery';
/** Hash of the password as release 0.1.0 stored it. */
const EARLIER_HASH =
  '00112233445566778899aabbccddeeff:066c0fb4b9c72281bc170dee46d8ee6e4e6e6a4fa370dcef27464dfe64f101a665440d0444fe2c2674ac931d8c92b866d0ebb59987ee1fc2ab1634c9c046fda9';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
});
afterAll(() => api.stop());

const run = (...args: string[]) =>
  runCommand({ db: api.test.db, input: `${PASSWORD}\n` }, ...args, '--password-stdin');
const signIn = async (email: string, password: string): Promise<number> =>
  (await openBrowser(api).post('/sign-in', { email, password })).status;

describe('users that the command line creates', () => {
  test.each([
    ['account', 'owner@example.com'],
    ['operator', 'operator@example.com'],
  ])('the user of %s create signs in to the dashboard with the given password only', async (noun, email) => {
    expect((await run(noun, 'create', '--email', email)).code).toBe(0);
    expect(await signIn(email, PASSWORD)).toBe(200);
    expect(await signIn(email, `${PASSWORD}!`)).toBe(401);
  });

  test('account set-password creates a user or changes the password, and ends the sessions of the user', async () => {
    const { value } = await run('account', 'create', '--email', 'first@example.com');
    const id = String(value.id);
    const bare = await runCommand(
      { db: api.test.db },
      'account',
      'create',
      '--email',
      'bare@example.com',
      '--balance',
      '0',
    );
    const target = String(bare.value.id);
    const set = (account: string, email: string, password: string) =>
      runCommand(
        { db: api.test.db },
        'account',
        'set-password',
        account,
        '--email',
        email,
        '--password',
        password,
      );
    expect((await set(target, 'Bare@example.com', `${PASSWORD}1`)).value).toEqual({
      id: target,
      email: 'bare@example.com',
    });
    expect(await signIn('bare@example.com', `${PASSWORD}1`)).toBe(200);
    expect((await set(target, 'bare@example.com', `${PASSWORD}2`)).code).toBe(0);
    expect(await signIn('bare@example.com', `${PASSWORD}1`)).toBe(401);
    expect(await signIn('bare@example.com', `${PASSWORD}2`)).toBe(200);
    await set(target, 'bare@example.com', `${PASSWORD}3`);
    const { rows } = await api.test.pool.query(
      "SELECT 1 FROM auth_sessions s JOIN auth_users u ON u.id = s.user_id WHERE u.email = 'bare@example.com'",
    );
    expect(rows).toEqual([]);
    await run('operator', 'create', '--email', 'chief@example.com');
    for (const email of ['first@example.com', 'chief@example.com']) {
      expect((await set(target, email, PASSWORD)).value.error?.code).toBe('BAD_REQUEST');
    }
    expect((await set('acc_none', 'x@example.com', PASSWORD)).value.error?.code).toBe('NOT_FOUND');
    expect((await set(id, 'x@example.com', 'short')).value.error?.code).toBe('VALIDATION_ERROR');
  });

  test('a user whose password was hashed by release 0.1.0 signs in', async () => {
    const email = 'earlier@example.com';
    await run('account', 'create', '--email', email);
    await api.test.pool.query(
      'UPDATE auth_accounts SET password = $2 WHERE user_id = (SELECT id FROM auth_users WHERE email = $1)',
      [email, EARLIER_HASH],
    );
    expect(await signIn(email, PASSWORD)).toBe(200);
  });
});
