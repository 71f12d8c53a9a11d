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
