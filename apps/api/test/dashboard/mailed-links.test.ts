import { eventually } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MailServer, startMailServer } from '../../../../tests/mail/start-mail-server.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import { newOwner } from './support/people.js';

let api: TestApi;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  api = await startApi({
    AUTH_SECRET: 'x'.repeat(32),
    ALLOW_SIGNUP: 'true',
    BASE_URL: 'https://gateway.example',
    SIGNUP_CREDIT: '0.50',
    SMTP_URL: mail.url,
    MAIL_FROM: 'Gateway <no-reply@gateway.example>',
    TRUST_PROXY: 'loopback',
  });
});
afterEach(() => void mail.mails.splice(0));
afterAll(async () => {
  await api.stop();
  await mail.close();
});

let clients = 0;
/** Posts from an address of its own, from a page of the gateway's public address. */
const post = (path: string, body: object) => {
  clients += 1;
  const headers = { 'x-forwarded-for': `192.0.2.${clients}`, origin: 'https://gateway.example' };
  return openBrowser(api).post(path, body, headers);
};
const newCredentials = () => ({ email: `new-${crypto.randomUUID()}@example.com`, password: 'long enough 7' });
const signIn = async (credentials: object) => (await post('/sign-in', credentials)).status;
/** Returns the newest mail, and the token of its link. */
const readMail = async (count = 1) => {
  await eventually(() => expect(mail.mails).toHaveLength(count));
  const newest = mail.mails.at(-1);
  const [, page = '', token = ''] =
    /https:\/\/gateway\.example\/dashboard\/(\w+)#?([\w-]*)/.exec(newest?.text ?? '') ?? [];
  return { newest, page, token };
};

describe('a forgotten password', () => {
  test('is replaced by a link that is good once, ends all sessions, and is stored as a hash', async () => {
    const owner = await newOwner(api);
    const { email } = owner;
    expect((await post('/password/forgot', { email: ` ${email.toUpperCase()} ` })).status).toBe(200);
    const { newest, page, token } = await readMail();
    expect(newest).toMatchObject({
      subject: 'Set a new password',
      from: { text: '"Gateway" <no-reply@gateway.example>' },
      to: { text: email },
      html: expect.stringContaining(`https://gateway.example/dashboard/reset#${token}`),
    });
    expect([page, token.length]).toEqual(['reset', 43]);
    const stored = await api.test.pool.query('SELECT identifier, value FROM auth_verifications');
    expect(JSON.stringify(stored.rows)).not.toContain(token);
    expect(api.lines.some((line) => line.includes(token))).toBe(false);

    const password = 'another one 8';
    expect((await post('/password/reset', { token, password: 'short' })).error?.code).toBe(
      'VALIDATION_ERROR',
    );
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => post('/password/reset', { token, password })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
    expect((await owner.get('/overview')).status).toBe(401);
    expect(await signIn({ email, password })).toBe(200);
  });

  test('has the same answer for an unknown address, which gets no mail', async () => {
    const { email } = await newOwner(api);
    const known = await post('/password/forgot', { email });
    const unknown = await post('/password/forgot', { email: 'nobody@example.com' });
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text]);
    await readMail();
    expect((await readMail()).newest?.to).toMatchObject({ text: email });
  });

  test('is not replaced by a link of more than an hour ago, nor by one beside which another was used', async () => {
    const { email } = await newOwner(api);
    const tokens = [];
    for (let count = 1; count <= 3; count++) {
      await post('/password/forgot', { email });
      tokens.push((await readMail(count)).token);
    }
    const [first, second, third] = tokens;
    await api.test.pool.query(
      `UPDATE auth_verifications SET expires_at = now() WHERE identifier = 'reset:' || translate(rtrim(encode(sha256($1::bytea), 'base64'), '='), '+/', '-_')`,
      [first],
    );
    const reset = async (token: string | undefined) =>
      (await post('/password/reset', { token, password: 'long enough 9' })).status;
    expect([await reset(first), await reset(second), await reset(third)]).toEqual([400, 200, 400]);
  });

  test('is mailed at most three times an hour to an address, and a client may ask twenty times', async () => {
    const { email } = await newOwner(api);
    for (let count = 0; count < 5; count++) {
      expect((await post('/password/forgot', { email })).status).toBe(200);
    }
    await readMail(3);
    const headers = { 'x-forwarded-for': '198.51.100.1', origin: 'https://gateway.example' };
    const statuses = [];
    for (let count = 0; count < 21; count++) {
      const body = { email: `nobody-${count}@example.com` };
      statuses.push((await openBrowser(api).post('/password/forgot', body, headers)).status);
    }
    expect(statuses).toEqual([...Array(20).fill(200), 429]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(mail.mails).toHaveLength(3);
  });

  test('is a 200 when the server takes no mail, which the log says', async () => {
    const { email } = await newOwner(api);
    mail.refuses = true;
    expect((await post('/password/forgot', { email })).status).toBe(200);
    await eventually(() =>
      expect(api.lines.some((line) => line.includes('a mail could not be sent'))).toBe(true),
    );
    mail.refuses = false;
    expect(api.lines.some((line) => line.includes('mail-pass'))).toBe(false);
  });
});

describe('signing up', () => {
  test('makes the account with its credit when the link is used, once', async () => {
    const credentials = newCredentials();
    expect((await post('/sign-up', credentials)).status).toBe(200);
    const { newest, page, token } = await readMail();
    expect([newest?.subject, page]).toEqual(['Confirm your address', 'confirm']);
    expect(await signIn(credentials)).toBe(401);
    const { rows } = await api.test.pool.query('SELECT 1 FROM accounts WHERE email = $1', [
      credentials.email,
    ]);
    expect(rows).toEqual([]);
    expect((await post('/sign-up/confirm', { token })).status).toBe(200);
    expect((await post('/sign-up/confirm', { token })).status).toBe(400);
    expect(await signIn(credentials)).toBe(200);
    const accounts = await api.test.pool.query('SELECT balance_micros::int FROM accounts WHERE email = $1', [
      credentials.email,
    ]);
    expect(accounts.rows).toEqual([{ balance_micros: 500_000 }]);
    const users = await api.test.pool.query('SELECT email_verified FROM auth_users WHERE email = $1', [
      credentials.email,
    ]);
    expect(users.rows).toEqual([{ email_verified: true }]);
  });

  test('answers alike for an address that has an account, which is told so', async () => {
    const { email } = await newOwner(api);
    const answer = await post('/sign-up', { email, password: 'another one 8' });
    const other = await post('/sign-up', newCredentials());
    expect([answer.status, answer.text]).toEqual([other.status, other.text]);
    await eventually(() => expect(mail.mails).toHaveLength(2));
    expect(mail.mails.find(({ to }) => JSON.stringify(to).includes(email))?.subject).toBe(
      'You have an account already',
    );
    expect(await signIn({ email, password: 'another one 8' })).toBe(401);
  });
});
