import { randomUUID } from 'node:crypto';
import { adjustAccount, refundTask } from '@image-gateway/shared/billing';
import { REASONS, type Reason } from '@image-gateway/shared/contract';
import type { TaskRow } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import type { FoundView } from '@image-gateway/shared/system/schema';
import type { TaskLog, WholeTask } from '@image-gateway/shared/task/schema';
import { createTestTask, type TestTaskOptions } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endTask } from '../support/end-task.js';
import { finishTask } from '../support/finish-task.js';
import type { TestApi } from '../support/start-api.js';
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
  ({ api, operator, owner } = await startWithPeople({ ENABLED_MODELS: 'nanobanana,nanobanana-pro' }));
});
afterAll(() => stopChecked(api));

/** Makes a task, with a call of a provider, and ends it: completed with an image, or failed for a reason. */
const called = async (
  person: Owner,
  provider: string,
  { reason, ...options }: TestTaskOptions & { readonly reason?: Reason } = {},
): Promise<TaskRow> => {
  const task = await createTestTask(api.test.db, toAccount(person), options);
  await api.test.pool.query(
    `WITH counted AS (UPDATE tasks SET call_count = 1 WHERE id = $1)
     INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros)
     VALUES ('call_' || $1, $1, 1, $2, 'm', 1, '{0}', 'started', 0)`,
    [task.id, provider],
  );
  await endTask(api, task.id, reason ? { images: [], reason } : { images: [Buffer.from('an image')] });
  return task;
};
const failed = async (person: Owner, reason: Reason): Promise<string> => {
  const { id } = await createTestTask(api.test.db, toAccount(person));
  await endTask(api, id, { images: [], reason });
  return id;
};
const log = async (query: string): Promise<TaskLog> =>
  (await operator.get(`/operator/task-log?${query}`)).data as unknown as TaskLog;
const ids = async (query: string): Promise<string[]> => (await log(query)).items.map(({ id }) => id);

describe('the log of tasks', () => {
  test('the log finds tasks of all accounts by account, key, model, provider, state, reason, request and span', async () => {
    const [one, two] = [await newOwner(api), await newOwner(api)];
    const done = await finishTask(api, toAccount(one, 'key_log'), {
      idempotencyKey: `order-${one.accountId}`,
    });
    const pro = await finishTask(api, toAccount(two), { request: { model: 'nanobanana-pro' } });
    const moderated = await failed(one, REASONS.moderation);
    const { id: upstream } = await called(two, 'log-provider', {
      request: { model: 'nanobanana-pro' },
      reason: REASONS.upstream,
    });
    const open = await createTestTask(api.test.db, toAccount(two));
    const [ofOne, ofTwo] = [`account=${one.accountId}`, `account=${two.accountId}`];

    expect(await ids('')).toEqual([open.id, upstream, moderated, pro.id, done.id]);
    expect(await ids(ofOne)).toEqual([moderated, done.id]);
    expect(await ids(`${ofTwo}&status=pending`)).toEqual([open.id]);
    expect(await ids('status=failed')).toEqual([upstream, moderated]);
    expect(await ids('failure=moderation')).toEqual([moderated]);
    expect(await ids(`${ofTwo}&failure=moderation`)).toEqual([]);
    expect(await ids('model=nanobanana-pro&status=completed')).toEqual([pro.id]);
    expect(await ids('provider=log-provider')).toEqual([upstream]);
    expect(await ids('key=key_log')).toEqual([done.id]);
    for (const request of [done.requestId, `order-${one.accountId}`]) {
      expect(await ids(`request=${request}`)).toEqual([done.id]);
    }
    const noon = `${new Date().toISOString().slice(0, 10)}T00:00`;
    expect(await ids(`${ofOne}&from=${noon}`)).toEqual([moderated, done.id]);
    expect(await ids(`${ofOne}&to=${noon}`)).toEqual([]);
    expect(await ids('status=failed&to=2020-01-31')).toEqual([]);

    const { by, items } = await log(`failure=upstream&status=failed`);
    expect(by).toBe('ended');
    expect(items).toEqual([
      expect.objectContaining({
        email: two.email,
        provider: 'log-provider',
        failure: 'upstream',
        error: REASONS.upstream.text,
      }),
    ]);
    expect(JSON.stringify(items)).not.toContain('a red fox');
  });

  test('the log goes on page by page, in both of its orders', async () => {
    const person = await newOwner(api);
    const made: string[] = [];
    for (let n = 0; n < 3; n++) {
      made.unshift(await failed(person, REASONS.deadline));
    }
    for (const query of [`account=${person.accountId}`, 'failure=deadline']) {
      const read: string[] = [];
      for (let place = ''; ; ) {
        const { items, next } = await log(`${query}&per_page=1${place}`);
        read.push(...items.map(({ id }) => id));
        if (next === null) {
          break;
        }
        place = `&before=${next}`;
      }
      expect(read).toEqual(made);
    }
  });

  test('metadata is searched in one account, over at most 31 days', async () => {
    const person = await newOwner(api);
    const { id } = await finishTask(api, toAccount(person), { request: { metadata: { user: '42' } } });
    await finishTask(api, toAccount(person));
    const entry = 'metadata[user]=42';
    expect(await ids(`account=${person.accountId}&${entry}`)).toEqual([id]);
    for (const query of [entry, `account=${person.accountId}&${entry}&from=2020-01-01&to=2020-03-01`]) {
      expect((await operator.get(`/operator/task-log?${query}`)).error?.message).toBe(
        'Metadata is searched in one account, over at most 31 days: choose the account and a span.',
      );
    }
  });

  test.each([
    ['from=yesterday', /^from must be a time in UTC/],
    ['status=gone', /^status must be one of pending, completed, failed\./],
    ['failure=bad-luck', /^failure must be one of moderation, /],
  ])('the log refuses %s by name', async (query, message) => {
    const { status, error } = await operator.get(`/operator/task-log?${query}`);
    expect([status, error?.message]).toEqual([400, expect.stringMatching(message)]);
  });

  test('a task says whose it is, where its images are, and what was refunded', async () => {
    const task = await finishTask(api, toAccount(owner));
    const look = async () => (await operator.get(`/operator/tasks/${task.id}`)).data as unknown as WholeTask;
    expect(await look()).toMatchObject({
      email: owner.email,
      refunded: null,
      outputs: [{ url: expect.stringMatching(new RegExp(`/images/${task.id}/0\\.png$`)) }],
    });
    await refundTask({ db: api.test.db, newId }, { taskId: task.id, reason: 'broken' });
    expect(await look()).toMatchObject({ cost: '$0.0100', refunded: '$0.0100' });
  });
});

describe('the search', () => {
  const find = async (q: string): Promise<FoundView> =>
    (await operator.get(`/operator/search?q=${encodeURIComponent(q)}`)).data as unknown as FoundView;
  const kinds = async (q: string) => (await find(q)).items.map(({ kind, account_id }) => [kind, account_id]);

  test('an operator finds what has an id, whatever kind of id it is, with its account', async () => {
    const person = await newOwner(api);
    const { accountId } = person;
    const { key, id: keyId } = (await person.post('/keys', { name: 'shop' })).data as {
      key: string;
      id: string;
    };
    const task = await called(person, 'gemini', {
      request: { webhook_url: 'https://hooks.example/' },
      idempotencyKey: `order-${accountId}`,
    });
    const reference = `invoice ${randomUUID()}`;
    const deps = { db: api.test.db, newId };
    await adjustAccount(deps, { accountId, deltaMicros: 5_000n, reason: 'test', reference });
    const { id: endpoint } = (
      await person.post('/endpoints', { url: 'https://hooks.example/', types: ['key.cap_reached'] })
    ).data as { id: string };
    const one = async (sql: string): Promise<string> =>
      String((await api.test.pool.query(sql, [accountId])).rows[0]?.id);

    for (const [kind, id] of [
      ['account', accountId],
      ['account', person.email],
      ['account', person.email.slice(4, 30).toUpperCase()],
      ['key', keyId],
      ['key', key],
      ['key', key.slice(0, 12)],
      ['task', task.id],
      ['request', task.requestId],
      ['request', `order-${accountId}`],
      ['provider call', `call_${task.id}`],
      ['webhook', await one('SELECT id FROM webhook_deliveries WHERE account_id = $1')],
      ['endpoint', endpoint],
      ['transfer', await one("SELECT id FROM ledger_transfers WHERE account_id = $1 AND kind = 'capture'")],
      ['usage record', await one('SELECT id FROM usage_records WHERE account_id = $1')],
      ['reference', ` ${reference} `],
      ['user', await one('SELECT user_id AS id FROM account_users WHERE account_id = $1')],
    ] as const) {
      expect([id, await kinds(id)]).toEqual([id, [[kind, accountId]]]);
    }
    expect((await find(task.id)).items).toEqual([
      {
        kind: 'task',
        id: task.id,
        account_id: accountId,
        email: person.email,
        task_id: task.id,
        note: 'nanobanana, completed',
      },
    ]);
    expect(JSON.stringify(await find(key))).not.toContain(key);
  });

  test('an id that nothing has is no error, and no part of a pattern', async () => {
    for (const q of ['gen_nope', newId('gen'), 'gw_live_0ViB', '%', '___', 'x'.repeat(254), '']) {
      expect(await find(q)).toEqual({ items: [], looked: null });
    }
    expect((await owner.get('/operator/search?q=x')).status).toBe(403);
    expect((await operator.get(`/operator/search?q=${'x'.repeat(255)}`)).status).toBe(400);
  });
});
