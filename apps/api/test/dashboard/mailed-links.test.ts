import { eventually } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MailServer, startMailServer } from '../../../../tests/mail/start-mail-server.js';
import { claimLinkMails } from '../../src/user/link-mails.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import { mailSettings, postAlone, readNewest } from './support/mailed.js';
import { newOwner } from './support/people.js';

let api: TestApi;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  api = await startApi(mailSettings(mail));
});
afterEach(() => void mail.mails.splice(0));
afterAll(async () => {
  await api.stop();
  await mail.close();
});

const post = (path: string, body: object) => postAlone(api, path, body);
const newCredentials = () => ({ email: `new-${crypto.randomUUID()}@example.com`, password: 'long enough 7' });
const signIn = async (credentials: object) => (await post('/sign-in', credentials)).status;
const readMail = (count = 1) => readNewest(mail, count);

/** Mails that wait, with the seconds to their next try. */
const listQueued = async () =>
  (
    await api.test.pool.query<{ kind: string; address: string; attempt: number; seconds: number }>(
      `SELECT *, extract(epoch FROM next_attempt_at - now())::float8 AS seconds FROM link_mails
        WHERE address NOT LIKE $1 ORDER BY created_at`,
      ['nobody-%'],
    )
  ).rows;
/** Waits until all mails that wait have had so many tries and are tried again after so many seconds. */
const waitForTry = async (attempt: number, seconds: number): Promise<void> => {
  await eventually(async () => {
    const rows = await listQueued();
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      expect([row.attempt, Math.ceil(row.seconds / 10) * 10]).toEqual([attempt, seconds]);
    }
  });
};
/** Makes all mails due that wait; a further one has the API look at once. */
const makeDue = async (): Promise<void> => {
  await api.test.pool.query('UPDATE link_mails SET next_attempt_at = now()');
  await post('/password/forgot', { email: `nobody-${crypto.randomUUID()}@example.com` });
};
const tryAgain = async (attempt: number, seconds: number): Promise<void> => {
  await waitForTry(attempt, seconds);
  await makeDue();
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

  test('is mailed at most three times an hour to a mailbox, whatever tags the address has', async () => {
    const { email } = await newOwner(api);
    const [name = '', domain = ''] = email.split('@');
    for (const tag of ['', '+1', '+two', '+3+3']) {
      await post('/sign-up', { email: `${name}${tag}@${domain}`, password: 'long enough 7' });
    }
    await post('/password/forgot', { email: ` ${name.toUpperCase()}+4@${domain}` });
    await post('/password/forgot', { email });
    await eventually(() => expect(mail.mails).toHaveLength(3));
    expect(await listQueued()).toEqual([]);
    expect(mail.mails.map(({ to }) => [to].flat()[0]?.text).sort()).toEqual(
      [email, `${name}+1@${domain}`, `${name}+two@${domain}`].sort(),
    );
  });
});

describe('a mail that its server does not take', () => {
  afterEach(async () => {
    mail.refuses = false;
    await api.test.pool.query('DELETE FROM link_mails');
  });

  test('is kept without a token, tried again until it is taken, and counts once for the three an hour', async () => {
    const { email } = await newOwner(api);
    const credentials = newCredentials();
    mail.refuses = true;
    expect((await post('/password/forgot', { email })).status).toBe(200);
    expect((await post('/sign-up', credentials)).status).toBe(200);
    await waitForTry(1, 10);
    const rows = await listQueued();
    expect(rows).toMatchObject([
      { kind: 'reset', address: email },
      { kind: 'sign-up', address: credentials.email },
    ]);
    expect(JSON.stringify(rows)).not.toContain(credentials.password);
    expect(api.lines.some((line) => line.includes('a mail could not be sent'))).toBe(true);
    expect(api.lines.some((line) => line.includes('mail-pass'))).toBe(false);
    await makeDue();
    await tryAgain(2, 60);
    await waitForTry(3, 300);
    mail.refuses = false;
    await makeDue();
    await post('/password/forgot', { email });
    await post('/password/forgot', { email });
    await post('/password/forgot', { email });
    await eventually(() => expect(mail.mails).toHaveLength(4));
    await eventually(async () => expect(await listQueued()).toEqual([]));
    const token = /confirm#([\w-]+)/.exec(mail.mails.map(({ text }) => text).join(' '))?.[1];
    expect((await post('/sign-up/confirm', { token, password: credentials.password })).status).toBe(200);
  });

  test('is tried six times within the hour, and given up then with a line in the log', async () => {
    mail.refuses = true;
    const { email } = await newOwner(api);
    await post('/password/forgot', { email });
    for (const [index, seconds] of [10, 60, 300, 900, 1_800].entries()) {
      await tryAgain(index + 1, seconds);
    }
    await eventually(async () => expect(await listQueued()).toEqual([]));
    expect(api.lines.filter((line) => line.includes('"attempt":6,"retrySeconds":null'))).toHaveLength(1);
  });

  test('is not sent any more when it was asked for more than an hour ago', async () => {
    mail.refuses = true;
    const { email } = await newOwner(api);
    await post('/password/forgot', { email });
    await waitForTry(1, 10);
    await api.test.pool.query("UPDATE link_mails SET created_at = now() - interval '61 minutes'");
    mail.refuses = false;
    await makeDue();
    await eventually(async () => expect(await listQueued()).toEqual([]));
    expect(mail.mails).toEqual([]);
  });

  test('is sent by one process of several at a time', async () => {
    const emails = await Promise.all(Array.from({ length: 6 }, async () => (await newOwner(api)).email));
    for (const email of emails) {
      await api.test.pool.query("INSERT INTO link_mails (id, kind, address) VALUES ($1, 'reset', $1)", [
        email,
      ]);
    }
    const claims = await Promise.all(Array.from({ length: 6 }, () => claimLinkMails(api.test.db, 2)));
    expect(await claimLinkMails(api.test.db, 10)).toEqual([]);
    const claimed = claims.flat().map(({ id }) => id);
    expect(new Set(claimed).size).toBe(claimed.length);
    await api.test.pool.query('UPDATE link_mails SET next_attempt_at = now() WHERE id = ANY ($1)', [claimed]);
    await eventually(async () => expect(await listQueued()).toEqual([]));
    expect(mail.mails).toHaveLength(6);
  });
});

describe('signing up', () => {
  test('asks for the password at the link: the sign-up of a stranger with the same address makes no account', async () => {
    const mine = newCredentials();
    const theirs = { ...mine, password: 'the password of a stranger' };
    await post('/sign-up', theirs);
    const { token } = await readMail();
    await post('/sign-up', mine);
    const { token: own } = await readMail(2);
    const confirm = (body: object) => post('/sign-up/confirm', body);
    expect((await confirm({ token })).error?.code).toBe('VALIDATION_ERROR');
    expect((await confirm({ token, password: mine.password })).error?.code).toBe('VALIDATION_ERROR');
    expect(await signIn(theirs)).toBe(401);
    expect((await confirm({ token: own, password: mine.password })).status).toBe(200);
    expect(await signIn(mine)).toBe(200);
    expect((await confirm({ token, password: theirs.password })).status).toBe(200);
    expect(await signIn(theirs)).toBe(401);
  });

  test('takes ten wrong passwords of a link in a quarter of an hour from an address, whose link stays good', async () => {
    const credentials = newCredentials();
    await post('/sign-up', credentials);
    const { token } = await readMail();
    const headers = { 'x-forwarded-for': '198.51.100.9', origin: 'https://gateway.example' };
    const statuses = [];
    for (let count = 0; count < 11; count++) {
      const body = { token, password: `guess ${count}` };
      statuses.push((await openBrowser(api).post('/sign-up/confirm', body, headers)).status);
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
    expect((await post('/sign-up/confirm', { token, password: credentials.password })).status).toBe(200);
  });

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
    const { password } = credentials;
    const answers = await Promise.all([1, 2].map(() => post('/sign-up/confirm', { token, password })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
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
