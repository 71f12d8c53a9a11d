import type { KeyItem } from '@image-gateway/shared/key/schema';
import type { AuditItem } from '@image-gateway/shared/system/schema';
import { createTestTask, eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from '../support/finish-task.js';
import type { TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import {
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
  ({ api, operator, owner } = await startWithPeople());
});
afterAll(() => stopChecked(api));

const path = (more: string, id = owner.accountId) => `/operator/accounts/${id}${more}`;
const readAudit = async (subject: string) => {
  const { data } = await operator.get(`/operator/audit?subject=${subject}`);
  return (data as { items: { action: string; actor: string; detail: object }[] }).items;
};

describe('an operator', () => {
  test('an operator finds accounts by part of the address and by id', async () => {
    const find = async (q: string) =>
      (await operator.get(`/operator/accounts?q=${encodeURIComponent(q)}`)).data as {
        items: { id: string }[];
      };
    for (const q of [owner.email.slice(3, 20), owner.email.toUpperCase(), owner.accountId]) {
      expect((await find(q)).items.map(({ id }) => id)).toEqual([owner.accountId]);
    }
    expect((await find('no such account')).items).toEqual([]);
    expect((await find('%')).items).toEqual([]);
  });

  test('credits once for each reference, and the books and the audit log say who and why', async () => {
    const paid = { amount: '5.00', reason: 'invoice', reference: `invoice-${owner.accountId}` };
    const booked = { amount: '$5.0000', balance: '$15.0000' };
    expect((await operator.post(path('/credit'), paid)).data).toEqual({ credited: true, ...booked });
    expect((await operator.post(path('/credit'), paid)).data).toEqual({ credited: false, ...booked });
    expect((await operator.get(path(''))).data).toMatchObject({ balance: '$15.0000' });
    expect((await operator.get(path('/movements'))).data).toMatchObject({
      items: [
        {
          kind: 'topup',
          amount: '$5.0000',
          balance: '$15.0000',
          reference: paid.reference,
          reason: 'invoice',
        },
        { kind: 'topup', amount: '$10.0000', balance: '$10.0000' },
      ],
      next: null,
    });
    const entries = (await readAudit(owner.accountId)).filter(({ action }) => action === 'account.credit');
    expect(entries).toEqual([
      expect.objectContaining({
        actor: operator.email,
        detail: expect.objectContaining({ reason: 'invoice' }),
      }),
    ]);
  });

  test.each([
    ['nothing', { amount: '0', reason: 'x' }],
    ['a negative amount', { amount: '-1', reason: 'x' }],
    ['more than six decimals', { amount: '1.0000001', reason: 'x' }],
    ['words', { amount: 'much', reason: 'x' }],
    ['no reason', { amount: '1', reason: ' ' }],
    ['a number that is no text', { amount: 1, reason: 'x' }],
  ])('an operator cannot credit %s', async (_what, body) => {
    const { status, error } = await operator.post(path('/credit'), body);
    expect({ status, code: error?.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
  });

  test('adjusts in both directions, never below what is held', async () => {
    const person = await newOwner(api, 1_000_000n);
    await createTestTask(api.test.db, toAccount(person), { request: { num_outputs: 4 } });
    const adjust = (amount: string) =>
      operator.post(path('/adjust', person.accountId), { amount, reason: 'test' });
    expect((await adjust('-0.97')).error?.code).toBe('INSUFFICIENT_BALANCE');
    expect((await adjust('-0.96')).status).toBe(200);
    expect((await operator.get(path('', person.accountId))).data).toMatchObject({ available: '$0.00' });
    expect(await readAudit(person.accountId)).toHaveLength(2);
  });

  test('adjusts once for each reference', async () => {
    const person = await newOwner(api, 1_000_000n);
    const adjust = (amount: string) =>
      operator.post(path('/adjust', person.accountId), {
        amount,
        reason: 'test',
        reference: `adjust-${person.accountId}`,
      });
    const booked = { amount: '-$1.0000', balance: '$0.00' };
    expect((await adjust('-1')).data).toEqual({ adjusted: true, ...booked });
    expect((await adjust('-1')).data).toEqual({ adjusted: false, ...booked });
    expect((await adjust('1')).error?.code).toBe('BAD_REQUEST');
    expect((await operator.get(path('', person.accountId))).data).toMatchObject({ balance: '$0.00' });
  });

  test('suspends and resumes', async () => {
    const person = await newOwner(api);
    const suspend = (body?: object, id = person.accountId) => operator.post(path('/suspend', id), body);
    expect((await suspend({ reason: ' ' })).status).toBe(400);
    await suspend({ reason: 'invoice 17' });
    expect((await person.post('/keys', { name: 'x' })).status).toBe(403);
    const read = async () => (await operator.get(path('', person.accountId))).data;
    expect(await read()).toMatchObject({ status: 'suspended', suspension_reason: 'invoice 17' });
    await operator.post(path('/resume', person.accountId));
    expect((await person.post('/keys', { name: 'x' })).status).toBe(200);
    expect(await read()).not.toHaveProperty('suspension_reason');
    expect((await readAudit(person.accountId)).map(({ action, actor }) => [action, actor])).toEqual(
      expect.arrayContaining([
        ['account.suspend', operator.email],
        ['account.resume', operator.email],
      ]),
    );
    expect((await suspend({ reason: 'x' }, 'acc_unknown')).status).toBe(404);
  });

  test('sees the keys of an account with their last use, revokes one, and rotates one, which the list names', async () => {
    const person = await newOwner(api);
    const make = async (name: string) =>
      (await person.post('/keys', { name })).data as { id: string; key: string };
    const [shop, old] = [await make('shop'), await make('old')];
    const use = async (key: string) =>
      (await api.call('/v1/models', { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await use(shop.key)).toBe(200);
    const list = async () =>
      (await operator.get(path('/keys', person.accountId))).data as unknown as readonly KeyItem[];
    await eventually(async () =>
      expect((await list()).find(({ id }) => id === shop.id)?.last_used_at).toEqual(expect.any(String)),
    );
    await operator.post(path(`/keys/${old.id}/revoke`, person.accountId));
    const rotated = await operator.post(path(`/keys/${shop.id}/rotate`, person.accountId), {
      grace_hours: 1,
    });
    const fresh = rotated.data as { id: string; key: string };
    expect(await use(fresh.key)).toBe(200);
    expect(await use(shop.key)).toBe(200);
    const shown = new Map((await list()).map((key) => [key.id, key]));
    expect(shown.get(old.id)?.revoked_at).toEqual(expect.any(String));
    expect(shown.get(shop.id)).toMatchObject({ replaced_by: fresh.id, expires_at: expect.any(String) });
    expect(shown.get(fresh.id)).toMatchObject({ name: 'shop', replaced_by: null });
    expect((await operator.get(path('/keys', person.accountId))).text).not.toContain(shop.key);
    const foreign = await operator.post(path(`/keys/${fresh.id}/revoke`, owner.accountId));
    expect(foreign.status).toBe(404);
  });

  test('finds entries of the audit log by person, action and day, with old and new values, and exports what was found', async () => {
    const person = await newOwner(api);
    const { id } = (await person.post('/keys', { name: 'k', limits: { cap_day: '5.00' } })).data as {
      id: string;
    };
    await person.post(`/keys/${id}/limits`, { cap_day: '7.5', models: ['nanobanana'] });
    const today = new Date().toISOString().slice(0, 10);
    const find = async (query: Record<string, string>) =>
      (await operator.get(`/operator/audit?${new URLSearchParams(query)}`)).data as unknown as {
        items: readonly AuditItem[];
      };
    const wanted = { actor: person.email, action: 'key.update', day: today };
    const { items } = await find(wanted);
    expect(items).toMatchObject([
      {
        subject: id,
        actor: person.email,
        detail: {
          capDay: '$7.5000',
          models: ['nanobanana'],
          before: { capDay: '$5.0000', models: [] },
        },
      },
    ]);
    expect((await find({ ...wanted, day: '2020-01-31' })).items).toEqual([]);
    expect((await find({ ...wanted, actor: 'nobody@example.com' })).items).toEqual([]);
    const all = await find({ actor: person.email });
    expect(new Set(all.items.map(({ actor }) => actor))).toEqual(new Set([person.email]));
    const { text, headers } = await operator.get(`/operator/audit.csv?${new URLSearchParams(wanted)}`);
    expect(headers.get('content-disposition')).toContain('audit.csv');
    const [header, line, ...more] = text.trimEnd().split('\r\n');
    expect(header).toBe('"created_at","action","subject","actor","account_id","detail"');
    expect(line).toContain(`"key.update","${id}","${person.email}"`);
    expect(line).toContain('""capDay"":""$7.5000""');
    expect(more).toEqual([]);
    expect((await operator.get('/operator/audit?day=tomorrow')).status).toBe(400);
  });

  test('an operator gives an account limits of its own, which hold in place of the settings', async () => {
    const person = await newOwner(api);
    const limits = (max_open_tasks: unknown, requests: unknown) =>
      operator.post(path('/limits', person.accountId), { max_open_tasks, requests });
    expect((await limits(0, null)).status).toBe(400);
    // The playground takes two of the four, the key the others.
    expect((await limits(1, '4/60')).status).toBe(200);
    const submit = () => person.post('/generate', { model: 'nanobanana', prompt: 'a fox' });
    expect([(await submit()).status, (await submit()).error?.code]).toEqual([202, 'RATE_LIMITED']);
    const { key } = (await person.post('/keys', { name: 'limited' })).data as { key: string };
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) {
      statuses.push((await api.call('/v1/tasks', { headers: { authorization: `Bearer ${key}` } })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    expect((await limits(null, null)).status).toBe(200);
    expect((await submit()).status).toBe(202);
    const all = { max_open_tasks: 5, requests: '90/30', failed: '7/600', retention_days: 30 };
    expect((await operator.post(path('/limits', person.accountId), all)).status).toBe(200);
    expect((await operator.get(path('', person.accountId))).data).toMatchObject({ limits: all });
  });

  test('a limit that is not in the request stays, null removes one, and the audit log keeps what was', async () => {
    const person = await newOwner(api);
    const set = (body: unknown) => operator.post(path('/limits', person.accountId), body);
    const all = { max_open_tasks: 5, requests: '90/30', failed: '7/600', retention_days: 30 };
    await set(all);
    await Promise.all([set({ max_open_tasks: 6 }), set({ requests: null }), set({ retention_days: '31' })]);
    expect((await operator.get(path('', person.accountId))).data).toMatchObject({
      limits: { ...all, max_open_tasks: 6, requests: null, retention_days: 31 },
    });
    for (const wrong of [{ failed: '7' }, { max_open_tasks: '9/60' }, { requests: '1/0' }]) {
      expect((await set(wrong)).status).toBe(400);
    }
    const details = (await readAudit(person.accountId)).map(({ detail }) => detail);
    expect(details).toContainEqual({ maxOpenTasks: 6, before: { maxOpenTasks: 5 } });
    expect(details).toContainEqual({ requests: null, before: { requests: '90/30' } });
  });

  test('an operator gives an owner a new password, which ends all sessions of the old one', async () => {
    const person = await newOwner(api);
    const { users } = (await operator.get(path('', person.accountId))).data as { users: { id: string }[] };
    const reset = (accountId: string) =>
      operator.post(path(`/users/${users[0]?.id}/reset-password`, accountId));
    expect((await reset(owner.accountId)).status).toBe(404);
    const { password } = (await reset(person.accountId)).data as { password: string };
    expect((await person.get('/overview')).status).toBe(401);
    expect((await openBrowser(api).post('/sign-in', person)).status).toBe(401);
    expect((await openBrowser(api).post('/sign-in', { email: person.email, password })).status).toBe(200);
  });

  test('an operator sees stuck tasks, requeues them, or ends them and releases what they held', async () => {
    const person = await newOwner(api);
    const task = await createTestTask(api.test.db, toAccount(person), { deadlineMs: 3_600_000 });
    const stuck = async () =>
      ((await operator.get('/operator/tasks?stuck=true')).data as unknown as { id: string }[]).map(
        ({ id }) => id,
      );
    expect(await stuck()).not.toContain(task.id);
    await api.test.pool.query("UPDATE tasks SET due_at = now() - interval '5 minutes' WHERE id = $1", [
      task.id,
    ]);
    expect(await stuck()).toContain(task.id);
    expect((await operator.post(`/operator/tasks/${task.id}/requeue`)).status).toBe(200);
    expect(await stuck()).not.toContain(task.id);
    const reason = 'withdrawn on request';
    expect((await operator.post(`/operator/tasks/${task.id}/fail`, { reason })).status).toBe(200);
    expect((await person.get(`/tasks/${task.id}`)).data).toMatchObject({ status: 'failed', error: reason });
    expect((await person.get('/overview')).data).toMatchObject({ held: '$0.00' });
    expect((await operator.post(`/operator/tasks/${task.id}/fail`, { reason })).status).toBe(400);
    expect((await readAudit(task.id)).map(({ action }) => action).sort()).toEqual([
      'task.fail',
      'task.requeue',
    ]);
  });

  test('refunds a task once; what its owner wrote is not shown', async () => {
    const task = await finishTask(api, toAccount(owner), { request: { prompt: 'a private wish' } });
    const refund = () => operator.post(`/operator/tasks/${task.id}/refund`, { reason: 'broken image' });
    expect((await refund()).data).toEqual({ refunded: '$0.0100' });
    expect((await refund()).status).toBe(400);
    expect((await readAudit(task.id)).map(({ action }) => action)).toEqual(['task.refund']);
    const shown = await operator.get(`/operator/tasks/${task.id}`);
    expect(shown.data).toMatchObject({ id: task.id, ledger: [{ kind: 'capture' }, { kind: 'refund' }] });
    expect(shown.text).not.toContain('a private wish');
  });
});

describe('the system', () => {
  test('the system is summed up, its queues and its books are looked at', async () => {
    const system = (await operator.get('/operator/system')).data as { accounts: number; open_tasks: number };
    expect(system.accounts).toBeGreaterThanOrEqual(2);
    const queues = (await operator.get('/operator/queues')).data as unknown as object[];
    expect(queues).toEqual([
      expect.objectContaining({ name: 'generation', consumers: 0, hints: expect.any(Number) }),
      expect.objectContaining({ name: 'webhook', due: expect.any(Number) }),
    ]);
    const submitted = await owner.post('/generate', { model: 'nanobanana', prompt: 'a fox' });
    const hinted = await eventually(async () => {
      const hints = (await operator.get('/operator/hints')).data as unknown as {
        id: string;
        state: string;
      }[];
      const own = hints.find(({ id }) => id === `${String(submitted.data.id)}-0`);
      if (!own) {
        throw new Error('no hint yet');
      }
      return own;
    });
    expect(hinted.state).toBe('waiting');
    const report = (await operator.post('/operator/ledger/check')).data as {
      checked: number;
      broken: object[];
    };
    expect(report.broken).toEqual([]);
    expect(report.checked).toBeGreaterThan(10);
  });

  test('the system tells a broken book', async () => {
    await api.test.pool.query('UPDATE accounts SET balance_micros = balance_micros + 1 WHERE id = $1', [
      owner.accountId,
    ]);
    const report = (await operator.post('/operator/ledger/check')).data as {
      broken: { name: string; rows: object[] }[];
    };
    await api.test.pool.query('UPDATE accounts SET balance_micros = balance_micros - 1 WHERE id = $1', [
      owner.accountId,
    ]);
    expect(report.broken.find(({ name }) => name.includes('the balance equals the ledger'))?.rows).toEqual([
      { id: owner.accountId },
    ]);
  });

  test('the system shows calls to providers with what they cost and what was charged', async () => {
    const task = await finishTask(api, toAccount(owner));
    await api.test.pool.query(
      `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, created_at, finished_at)
       VALUES ('call_1', $1, 1, 'sandbox', 'm', 1, '{0}', 'succeeded', 4000, now() - interval '2 seconds', now()),
              ('call_2', $1, 1, 'sandbox', 'm', 1, '{0}', 'failed', 0, now(), now())`,
      [task.id],
    );
    await api.test.pool.query('SELECT recount()');
    const { data } = await operator.get('/operator/providers?hours=1');
    expect(data).toMatchObject({
      cost: '$0.0040',
      providers: [{ provider: 'sandbox', calls: 2, succeeded: 1, failed: 1, p50_ms: 1998, cost: '$0.0040' }],
    });
    expect((await operator.get('/operator/providers?hours=5')).status).toBe(400);
  });
});
