import type { AccountDetail } from '@image-gateway/shared/account/schema';
import type { KeyItem } from '@image-gateway/shared/key/schema';
import type { AuditItem } from '@image-gateway/shared/system/schema';
import { createTestTask } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from '../cli/support/run-command.js';
import type { TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import {
  newOperator,
  newOwner,
  type Owner,
  type Person,
  startWithPeople,
  stopChecked,
  toAccount,
} from './support/people.js';

let api: TestApi;
let operator: Person;
let owner: Owner;
beforeAll(async () => {
  ({ api, operator, owner } = await startWithPeople({ MAX_PENDING_TASKS: '70', RETENTION_DAYS: '30' }));
});
afterAll(() => stopChecked(api));

const newEmail = () => `new-${crypto.randomUUID()}@example.com`;
const signIn = async (email: string, password: unknown) =>
  (await openBrowser(api).post('/sign-in', { email, password })).status;
const readAudit = async (subject: string) => {
  const { data } = await operator.get(`/operator/audit?subject=${subject}`);
  return (data as unknown as { items: AuditItem[] }).items;
};

describe('an account that an operator creates', () => {
  const create = (body: object) => operator.post('/operator/accounts', { log_in: true, ...body });

  test('an account that an operator creates has its credit with the reason, and a log-in whose password is shown once', async () => {
    const email = newEmail();
    const made = await create({ email: email.toUpperCase(), balance: '$12.50', reason: 'pilot' });
    const { id, password } = made.data as { id: string; password: string };
    expect(made.data).toEqual({ id, email, password: expect.stringMatching(/^[\w-]{16}$/) });
    expect(await signIn(email, password)).toBe(200);
    const shown = await operator.get(`/operator/accounts/${id}`);
    expect(shown.data).toMatchObject({ email, balance: '$12.5000', users: [{ email }], keys: { total: 0 } });
    expect((await operator.get(`/operator/accounts/${id}/movements`)).data).toMatchObject({
      items: [{ kind: 'topup', amount: '$12.5000', balance: '$12.5000', reason: 'pilot' }],
    });
    const audit = await readAudit(id);
    expect(audit).toMatchObject([
      { action: 'account.create', actor: operator.email, detail: { opening: '$12.5000', reason: 'pilot' } },
    ]);
    expect(JSON.stringify(audit)).not.toContain(password);
  });

  test('an account that an operator creates needs neither credit nor log-in', async () => {
    const { data } = await create({ email: newEmail(), balance: '', log_in: false });
    expect(data).toMatchObject({ password: null });
    expect((await operator.get(`/operator/accounts/${String(data.id)}`)).data).toMatchObject({
      balance: '$0.00',
      users: [],
    });
  });

  test.each([
    ['credit without a reason', { balance: '5' }, 400, 'Say why the account begins with a balance.'],
    ['a negative credit', { balance: '-5', reason: 'x' }, 400, /amount/],
    ['no address', { email: 'nobody' }, 400, /not a valid e-mail address/],
  ])('an account that an operator creates is refused with %s', async (_what, wrong, status, message) => {
    const answer = await create({ email: newEmail(), ...wrong });
    expect([answer.status, answer.error?.message]).toEqual([status, expect.stringMatching(message)]);
  });

  test('an account that an operator creates twice is there once: the second request says that the address is in use', async () => {
    const email = newEmail();
    const answers = await Promise.all([1, 2, 3].map(() => create({ email, balance: '1', reason: 'x' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(answers.find(({ status }) => status === 400)?.error?.message).toMatch(/already in use/);
  });
});

describe('the limits of an account', () => {
  test('the limits of an account stand beside what the settings say in their place', async () => {
    await operator.post(`/operator/accounts/${owner.accountId}/limits`, { requests: '300/60' });
    const { limits, settings } = (await operator.get(`/operator/accounts/${owner.accountId}`))
      .data as unknown as AccountDetail;
    expect(limits).toMatchObject({ max_open_tasks: null, requests: '300/60' });
    expect(settings).toEqual({
      max_open_tasks: '70',
      requests: null,
      failed: '1000/3600',
      retention_days: '30',
    });
  });
});

describe('a key that an operator makes for an account', () => {
  const path = (more = '', id = owner.accountId) => `/operator/accounts/${id}/keys${more}`;

  test('a key that an operator makes works with its limits, is shown once, and its limits are changed', async () => {
    const limits = { models: ['nanobanana'], scopes: ['read'], cap_day: '2.00' };
    const made = await operator.post(path(), { name: ' batch ', expires_at: '2099-01-01', limits });
    const { id, key } = made.data as { id: string; key: string };
    const ask = (route: string, init: object = {}) =>
      api.call(route, { headers: { authorization: `Bearer ${key}` }, ...init });
    expect((await ask('/v1/tasks')).status).toBe(200);
    const body = { model: 'nanobanana', prompt: 'x' };
    expect((await ask('/v1/generate', { method: 'POST', body })).status).toBe(403);
    const list = async () => {
      const answer = await operator.get(path());
      expect(answer.text).not.toContain(key);
      return (answer.data as unknown as KeyItem[]).find((one) => one.id === id);
    };
    expect(await list()).toMatchObject({
      name: 'batch',
      expires_at: '2099-01-01T00:00:00.000Z',
      models: ['nanobanana'],
      scopes: ['read'],
      caps: { day: { limit: '$2.0000' } },
    });
    expect((await operator.post(path(`/${id}/limits`), { cap_day: '3', models: [] })).status).toBe(200);
    expect(await list()).toMatchObject({ models: [], scopes: ['read'], caps: { day: { limit: '$3.0000' } } });
    expect(await readAudit(id)).toMatchObject([
      { action: 'key.update', actor: operator.email, detail: { before: { capDay: '$2.0000' } } },
      { action: 'key.create', actor: operator.email, detail: { accountId: owner.accountId } },
    ]);
  });

  test('a key that an operator makes belongs to the account of the path, as do the keys that are changed there', async () => {
    const stranger = await newOwner(api);
    const { data } = await operator.post(path(), {});
    const other = path(`/${String(data.id)}/limits`, stranger.accountId);
    expect((await operator.post(other, { cap_day: '1' })).status).toBe(404);
    expect((await operator.post(path('', 'acc_none'), {})).status).toBe(404);
  });
});

describe('a task that an operator cancels', () => {
  test('a task that an operator cancels ends at once without a call, and waits for the images of an open one', async () => {
    const cancel = ({ id }: { id: string }) => operator.post(`/operator/tasks/${id}/cancel`);
    const [idle, busy] = await Promise.all([
      createTestTask(api.test.db, toAccount(owner)),
      createTestTask(api.test.db, toAccount(owner)),
    ]);
    await api.test.pool.query(
      `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state)
       VALUES ('call_open', $1, 0, 'sandbox', 'm', 1, '{0}', 'submitted')`,
      [busy.id],
    );
    await api.test.pool.query('UPDATE tasks SET call_count = 1 WHERE id = $1', [busy.id]);
    expect([(await cancel(idle)).status, (await cancel(busy)).status]).toEqual([200, 200]);
    const read = async ({ id }: { id: string }) => (await operator.get(`/operator/tasks/${id}`)).data;
    expect(await read(idle)).toMatchObject({ status: 'failed', is_canceling: false, cost: '$0.00' });
    expect(await read(busy)).toMatchObject({ status: 'pending', is_canceling: true });
    const open = (await operator.get('/operator/tasks')).data as unknown as { id: string }[];
    expect(open.find(({ id }) => id === busy.id)).toMatchObject({ is_canceling: true });
    await cancel(busy);
    expect(await readAudit(busy.id)).toMatchObject([{ action: 'task.cancel', actor: operator.email }]);
    expect((await cancel({ id: 'gen_none' })).status).toBe(404);
    await operator.post(`/operator/tasks/${busy.id}/fail`, { reason: 'x' });
  });
});

describe('operators', () => {
  const password = 'correct horse 9 battery';
  const list = async () =>
    (await operator.get('/operator/operators')).data as unknown as { id: string; email: string }[];
  const remove = (who: Person, id: string, given = password) =>
    who.post(`/operator/operators/${id}/remove`, { password: given });
  const findId = async (email: string) => (await list()).find((one) => one.email === email)?.id ?? '';
  const session = async (who: Person) => (await who.get('/operator/system')).status;

  test('operators make one by a session and the password again: its own is shown once, and logs it in', async () => {
    const email = newEmail();
    const create = (given: string) => operator.post('/operator/operators', { email, password: given });
    expect((await create('wrong horse 9')).error).toEqual({
      code: 'VALIDATION_ERROR',
      message: 'The password is wrong.',
    });
    expect(await list()).not.toContainEqual(expect.objectContaining({ email }));
    const made = await create(password);
    const { id, password: own } = made.data as { id: string; password: string };
    expect(made.data).toEqual({ id, email, password: expect.stringMatching(/^[\w-]{16}$/) });
    expect(await signIn(email, own)).toBe(200);
    expect(await list()).toContainEqual({ id, email, sessions: 1, created_at: expect.any(String) });
    expect((await create(password)).error?.message).toMatch(/already in use/);
    const audit = await readAudit(id);
    expect(audit.map(({ action, actor }) => [action, actor])).toEqual([
      ['user.sign-in', email],
      ['operator.create', operator.email],
    ]);
    expect(JSON.stringify(audit)).not.toContain(own);
  });

  test('operators remove one by the password again: its sessions and its mailbox of events end, the audit log stays', async () => {
    const leaving = await newOperator(api);
    const id = await findId(leaving.email);
    await api.test.pool.query(
      `INSERT INTO endpoints (id, slot, url, host_port, types, secret)
       VALUES ('ept_leaving', 9, $1, 'mail:25', '{ledger.check_failed}', 's')`,
      [`mailto:${leaving.email}`],
    );
    expect((await remove(operator, id, 'wrong horse 9')).status).toBe(400);
    expect(await session(leaving)).toBe(200);
    expect((await remove(operator, id)).status).toBe(200);
    expect([await session(leaving), await signIn(leaving.email, password)]).toEqual([401, 401]);
    expect((await api.test.pool.query("SELECT 1 FROM endpoints WHERE id = 'ept_leaving'")).rows).toEqual([]);
    expect(await readAudit(id)).toMatchObject([
      { action: 'operator.remove', actor: operator.email, detail: { email: leaving.email } },
      { action: 'user.sign-in' },
      { action: 'operator.create' },
    ]);
    expect((await remove(operator, id)).status).toBe(404);
    const [user] = (await operator.get(`/operator/accounts/${owner.accountId}`)).data.users as [
      { id: string },
    ];
    expect((await remove(operator, user.id)).status).toBe(404);
  });

  test('operators are never without one: of those who remove each other at a time one stays, and it cannot go', async () => {
    const alone = await startWithPeople();
    try {
      const others = [alone.operator, await newOperator(alone.api), await newOperator(alone.api)];
      const { data } = await alone.operator.get('/operator/operators');
      const ids = (data as unknown as { id: string }[]).map(({ id }) => id);
      await Promise.all(others.flatMap((who) => ids.map((id) => remove(who, id))));
      const { rows } = await alone.api.test.pool.query<{ email: string; id: string }>(
        "SELECT id, email FROM auth_users WHERE role = 'operator'",
      );
      const [last] = rows;
      expect(rows).toHaveLength(1);
      const survivor = others.find(({ email }) => email === last?.email) ?? alone.operator;
      expect((await remove(survivor, last?.id ?? '')).error).toEqual({
        code: 'BAD_REQUEST',
        message: 'This is the last operator. Create another one first.',
      });
      expect(await session(survivor)).toBe(200);
    } finally {
      await stopChecked(alone.api);
    }
  });
});

describe('where no mail is sent', () => {
  const run = (...args: string[]) => runCommand<{ email: string }>({ db: api.test.db }, ...args);

  test('without mail a user is told who changes the address, and operators do it by a command', async () => {
    const asked = { email: newEmail(), password: owner.password };
    expect((await owner.post('/email', asked)).error).toEqual({
      code: 'FORBIDDEN',
      message: 'This gateway sends no mail. Its operator can change your address.',
    });
    const [moving, email] = [await newOwner(api), newEmail()];
    const set = ['account', 'set-email', moving.accountId, '--user', moving.email, '--email'];
    expect((await run(...set, 'nobody')).code).not.toBe(0);
    expect((await run(...set, email)).value).toEqual({ id: moving.accountId, email });
    expect((await run(...set, newEmail())).code).not.toBe(0);
    expect([await signIn(moving.email, moving.password), await signIn(email, moving.password)]).toEqual([
      401, 200,
    ]);
    expect((await api.test.pool.query('SELECT 1 FROM link_mails')).rows).toEqual([]);
    const other = await newOperator(api);
    const { data } = await other.get('/session');
    const { id } = data.user as { id: string };
    const next = newEmail();
    expect((await run('operator', 'set-email', id, '--email', next)).value).toEqual({ id, email: next });
    expect(await signIn(next, other.password)).toBe(200);
    expect(await readAudit(id)).toContainEqual(
      expect.objectContaining({ action: 'user.change-email', actor: 'cli' }),
    );
  });
});
