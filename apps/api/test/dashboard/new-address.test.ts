import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type MailServer, startMailServer } from '../../../../tests/mail/start-mail-server.js';
import { createAccount } from '../../src/account/create-account.js';
import { resetPassword } from '../../src/user/passwords.js';
import { startApi, type TestApi } from '../support/start-api.js';
import type { Browser } from './support/browser.js';
import { mailSettings, newClient, origin, postAlone, readNewest } from './support/mailed.js';
import { newOperator, newOwner } from './support/people.js';

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

describe('a new address of a log-in', () => {
  const password = 'correct horse 9 battery';
  const post = (path: string, body: object) => postAlone(api, path, body);
  const signIn = async (credentials: object) => (await post('/sign-in', credentials)).status;
  const readMail = (count = 1) => readNewest(mail, count);
  const ask = (who: Browser, email: string, given = password) =>
    who.post('/email', { email, password: given }, newClient());
  const confirm = (token: string, given = password) => post('/email/confirm', { token, password: given });
  const newAddress = () => `moved-${crypto.randomUUID()}@example.com`;
  const findUser = async (email: string) =>
    (
      await api.test.pool.query<{ id: string; account: string; verified: boolean }>(
        `SELECT u.id, a.email AS account, u.email_verified AS verified
           FROM auth_users u JOIN account_users o ON o.user_id = u.id JOIN accounts a ON a.id = o.account_id WHERE u.email = $1`,
        [email],
      )
    ).rows[0];

  test('a new address is confirmed by a link with the password, once: account and mailboxes follow, all sessions end, the one before is told', async () => {
    const owner = await newOwner(api);
    await api.test.pool.query(
      `INSERT INTO endpoints (id, account_id, slot, url, host_port, types, secret)
       VALUES ($1, $2, 1, $3, 'mail:25', '{key.cap_reached}', 's')`,
      [`ept_${owner.accountId}`, owner.accountId, `mailto:${owner.email}`],
    );
    const email = newAddress();
    expect((await ask(owner, email, 'wrong horse 9')).error?.message).toBe('The password is wrong.');
    expect((await ask(owner, ` ${owner.email.toUpperCase()}`)).status).toBe(400);
    expect((await ask(owner, ` ${email.toUpperCase()}`)).status).toBe(200);
    const { newest, page, token } = await readMail();
    expect([newest?.subject, newest?.to, page]).toMatchObject([
      'Confirm your new address',
      { text: email },
      'email',
    ]);
    const stored = await api.test.pool.query('SELECT identifier, value FROM auth_verifications');
    expect(JSON.stringify(stored.rows)).not.toContain(token);
    expect(api.lines.some((line) => line.includes(token))).toBe(false);
    expect(await findUser(owner.email)).toMatchObject({ account: owner.email });

    expect((await confirm(token, 'wrong horse 9')).error?.code).toBe('VALIDATION_ERROR');
    const answers = await Promise.all([1, 2, 3].map(() => confirm(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await owner.get('/overview')).status).toBe(401);
    expect([await signIn(owner), await signIn({ email, password })]).toEqual([401, 200]);
    const user = await findUser(email);
    expect(user).toMatchObject({ account: email, verified: true });
    const { rows } = await api.test.pool.query('SELECT url FROM endpoints WHERE account_id = $1', [
      owner.accountId,
    ]);
    expect(rows).toEqual([{ url: `mailto:${email}` }]);
    const told = await readMail(2);
    expect(told.newest).toMatchObject({
      subject: 'The address of your log-in was changed',
      to: { text: owner.email },
      text: expect.not.stringContaining(email),
    });
    const audit = await api.test.pool.query(
      "SELECT account_id, detail FROM audit_entries WHERE action = 'user.change-email' AND subject = $1",
      [user?.id],
    );
    expect(audit.rows).toEqual([
      {
        account_id: owner.accountId,
        detail: { actor: email, email, before: { email: owner.email }, address: expect.any(String) },
      },
    ]);
  });

  test('a new address has the same answer when somebody has it, who is told so and keeps it', async () => {
    const [owner, other] = [await newOwner(api), await newOwner(api)];
    const taken = await ask(owner, other.email);
    expect((await readMail()).newest).toMatchObject({
      subject: 'You have an account already',
      to: { text: other.email },
    });
    const free = await ask(owner, newAddress());
    expect([taken.status, taken.text]).toEqual([free.status, free.text]);
    expect(await signIn(other)).toBe(200);
  });

  test('a new address that somebody took meanwhile is refused at its link, which changes nothing', async () => {
    const owner = await newOwner(api);
    const email = newAddress();
    await ask(owner, email);
    const { token } = await readMail();
    await createAccount({ db: api.test.db }, { email, openingMicros: 0n, actor: 'test' });
    expect((await confirm(token)).error?.message).toBe(`The e-mail address ${email} is already in use.`);
    expect((await owner.get('/overview')).status).toBe(200);
  });

  test('a new address is lost with the password by which it was asked for, and after an hour', async () => {
    const owner = await newOwner(api);
    await ask(owner, newAddress());
    const { token: old } = await readMail();
    await api.test.pool.query(
      "UPDATE auth_verifications SET expires_at = now() WHERE identifier LIKE 'email:%'",
    );
    expect((await confirm(old)).status).toBe(400);
    const email = newAddress();
    await ask(owner, email);
    const { token } = await readMail(2);
    const user = await findUser(owner.email);
    await resetPassword({ db: api.test.db }, { userId: user?.id ?? '', password, actor: 'test' });
    expect((await confirm(token)).error?.code).toBe('BAD_REQUEST');
    expect([await signIn(owner), await signIn({ email, password })]).toEqual([200, 401]);
  });

  test('a new address ends the links to a new password that went to the one before', async () => {
    const owner = await newOwner(api);
    await post('/password/forgot', { email: owner.email });
    const { token: reset } = await readMail();
    await ask(owner, newAddress());
    await confirm((await readMail(2)).token);
    expect((await post('/password/reset', { token: reset, password: 'another one 8' })).status).toBe(400);
    await readMail(3);
  });

  test('a new address is mailed at most three times an hour', async () => {
    const owner = await newOwner(api);
    const email = newAddress();
    for (let count = 0; count < 5; count++) {
      expect((await ask(owner, email)).status).toBe(200);
    }
    await readMail(3);
    expect((await api.test.pool.query('SELECT 1 FROM link_mails')).rows).toEqual([]);
    expect(mail.mails).toHaveLength(3);
  });

  test('a new address from an operator needs no link, ends the sessions of the owner, and the one before is told', async () => {
    const [owner, operator] = [await newOwner(api), await newOperator(api)];
    const user = await findUser(owner.email);
    const move = (email: string) => {
      const path = `/operator/accounts/${owner.accountId}/users/${user?.id}/email`;
      return operator.post(path, { email }, { origin });
    };
    expect((await move(operator.email)).error?.message).toMatch(/already in use/);
    const email = newAddress();
    expect((await move(email)).data).toEqual({ email });
    expect((await owner.get('/overview')).status).toBe(401);
    expect(await findUser(email)).toMatchObject({ account: email, verified: false });
    expect((await readMail()).newest?.to).toMatchObject({ text: owner.email });
  });
});
