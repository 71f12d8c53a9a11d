import { setTimeout as sleep } from 'node:timers/promises';
import { adjustAccount, refundTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { finishTask } from '../support/finish-task.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { newOperator, newOwner, toAccount } from './support/people.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32), ENABLED_MODELS: 'nanobanana,nanobanana-pro' });
});
afterAll(async () => {
  await api.test.checkInvariants('live');
  await api.stop();
});

const image = Buffer.from('an image');
const costs = (csv: string): number[] =>
  csv
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => Math.round(Number(line.split(',')[5]?.replace('$', '')) * 1e6));

describe('usage of one key', () => {
  test('usage of one key holds nothing of other keys, refunds and export included', async () => {
    const owner = await newOwner(api);
    const keys = ['key_one', 'key_two'] as const;
    for (const apiKeyId of keys) {
      const account = toAccount(owner, apiKeyId);
      const refunded = await finishTask(api, account, { images: [image] });
      await refundTask({ db: api.test.db, newId }, { taskId: refunded.id, reason: 'broken' });
    }
    await finishTask(api, toAccount(owner, 'key_two'), { images: [image, image] });
    expect((await owner.get('/usage?api_key_id=key_one')).data).toMatchObject({
      charged: '$0.0100',
      refunded: '$0.0100',
      units: 1,
    });
    expect((await owner.get('/usage?api_key_id=key_two')).data).toMatchObject({
      charged: '$0.0300',
      units: 3,
    });
    expect((await owner.get('/usage')).data).toMatchObject({
      charged: '$0.0400',
      refunded: '$0.0200',
      net: '$0.0200',
    });
    const { text } = await owner.get('/usage.csv?api_key_id=key_two');
    expect([costs(text).length, text.includes('key_one')]).toEqual([3, false]);
    expect((await owner.get('/usage?api_key_id=x')).status).toBe(400);
  });
});

describe('the export of usage', () => {
  test('the export of usage adds up to what the ledger took from the balance, refunds included', async () => {
    const owner = await newOwner(api);
    const account = toAccount(owner);
    await finishTask(api, account, { images: [image, image, image] });
    await finishTask(api, account, { request: { model: 'nanobanana-pro', resolution: '4k' } });
    await finishTask(api, account, { images: [] });
    const refunded = await finishTask(api, account);
    const deps = { db: api.test.db, newId };
    await refundTask(deps, { taskId: refunded.id, reason: 'broken' });
    await adjustAccount(deps, { accountId: owner.accountId, deltaMicros: 5_000n, reason: 'not usage' });

    const { status, headers, text } = await owner.get('/usage.csv');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="usage-/);
    const { rows } = await api.test.pool.query<{ sum: string }>(
      `SELECT sum(CASE kind WHEN 'capture' THEN amount_micros ELSE -amount_micros END) AS sum
         FROM ledger_transfers WHERE account_id = $1 AND kind IN ('capture', 'refund')`,
      [owner.accountId],
    );
    expect(costs(text)).toHaveLength(4);
    expect(costs(text).reduce((sum, cost) => sum + cost, 0)).toBe(Number(rows[0]?.sum));
    expect(rows[0]?.sum).toBe('62000');
    expect((await owner.get('/usage')).data).toMatchObject({
      charged: '$0.0720',
      refunded: '$0.0100',
      units: 5,
      requests: 3,
    });
  });

  test('the export of usage has every line once, also when there are more than are read at a time', async () => {
    const owner = await newOwner(api);
    const task = await finishTask(api, toAccount(owner));
    await api.test.pool.query(
      `WITH many AS (SELECT n FROM generate_series(1, 2500) n),
       tasks AS (INSERT INTO tasks SELECT (jsonb_populate_record(t, jsonb_build_object('id', 'gen_many' || n, 'idem_key', null))).*
                   FROM tasks t, many WHERE t.id = $1),
       uses AS (INSERT INTO usage_records (id, task_id, account_id, api_key_id, model, type, units, cost_micros)
                SELECT 'use_many' || n, 'gen_many' || n, $2, 'key_test', 'nanobanana', 'image_generate', 1, 10000 FROM many)
       INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, task_id)
       SELECT 'led_many' || n, 'capture', 'cust:' || $2::text, 'revenue', 10000, $2, 'gen_many' || n FROM many`,
      [task.id, owner.accountId],
    );
    const { text } = await owner.get('/usage.csv');
    const ids = text.trimEnd().split('\r\n').slice(1);
    expect(ids).toHaveLength(2501);
    expect(new Set(ids.map((line) => line.split(',')[1])).size).toBe(2501);
    // These rows stand for nothing else: the books of this account are put right again for the check at the end.
    await api.test.pool.query(
      `SET session_replication_role = replica;
       DELETE FROM ledger_transfers WHERE id LIKE 'led_many%'; DELETE FROM usage_records WHERE id LIKE 'use_many%';
       DELETE FROM tasks WHERE id LIKE 'gen_many%'; SET session_replication_role = DEFAULT; SELECT recount_lists(), recount_key_spend(), recount_hours()`,
    );
  });

  test('the export of usage takes days and a model, and refuses what is neither', async () => {
    const owner = await newOwner(api);
    await finishTask(api, toAccount(owner));
    expect(costs((await owner.get('/usage.csv?model=nanobanana-pro')).text)).toEqual([]);
    expect(costs((await owner.get('/usage.csv?model=nanobanana')).text)).toEqual([10_000]);
    expect(costs((await owner.get('/usage.csv?from=2020-01-01&to=2020-01-31')).text)).toEqual([]);
    for (const query of ['from=yesterday', 'to=2026-02-30', 'from=2026-01-01&from=2026-01-02']) {
      expect((await owner.get(`/usage?${query}`)).error?.code).toBe('BAD_REQUEST');
    }
  });
});

describe('the overview', () => {
  test('the overview has the money, thirty days and the last tasks', async () => {
    const owner = await newOwner(api);
    const today = (): string => new Date().toISOString().slice(0, 10);
    const before = today();
    const done = await finishTask(api, toAccount(owner), { images: [image, image] });
    await finishTask(api, toAccount(owner), { images: [] });
    const after = today();
    const { data } = await owner.get('/overview');
    expect(data).toMatchObject({
      balance: '$9.9800',
      held: '$0.00',
      available: '$9.9800',
      spent: '$0.0200',
      completed: 1,
      failed: 1,
      last_tasks: [{ status: 'failed' }, { id: done.id, cost: '$0.0200' }],
    });
    const days = data.days as { day: string; cost: string; units: number }[];
    expect(days).toHaveLength(30);
    // Midnight may have passed meanwhile.
    const [spent, ...others] = days.filter(({ units }) => units > 0);
    expect([spent, others]).toEqual([{ day: expect.any(String), cost: '$0.0200', units: 2 }, []]);
    expect([before, after]).toContain(spent?.day);
  });
});

describe('movements of money', () => {
  interface Item {
    readonly id: string;
    readonly kind: string;
    readonly amount: string;
    readonly balance: string;
    readonly tasks: number | null;
    readonly created_at: string;
  }

  test('movements have the balance after each, captures of a UTC day as one line that stands last in it', async () => {
    const [operator, owner, stranger] = [await newOperator(api), await newOwner(api), await newOwner(api)];
    const deps = { db: api.test.db, newId };
    const { accountId } = owner;
    const refunded = await finishTask(api, toAccount(owner), { images: [image, image] });
    await finishTask(api, toAccount(owner));
    await finishTask(api, toAccount(stranger));
    await refundTask(deps, { taskId: refunded.id, reason: 'broken' });
    // Lines of one millisecond stand in the order of their ids.
    await sleep(2);
    await adjustAccount(deps, { accountId, deltaMicros: -5_000n, reason: '=1+1', reference: 'note 7' });
    const path = `/operator/accounts/${accountId}/movements`;
    const list = async (query = ''): Promise<{ items: Item[]; next: string | null }> =>
      (await operator.get(`${path}${query}`)).data as { items: Item[]; next: string | null };
    const all = await list();
    expect(all.items.map(({ kind, amount, balance, tasks }) => [kind, amount, balance, tasks])).toEqual([
      ['capture', '-$0.0300', '$9.9850', 2],
      ['adjust', '-$0.0050', '$10.0150', null],
      ['refund', '$0.0200', '$10.0200', null],
      ['topup', '$10.0000', '$10.0000', null],
    ]);
    const today = new Date().toISOString().slice(0, 10);
    expect(all.items[0]?.created_at).toBe(`${today}T23:59:59.999Z`);

    const read: Item[] = [];
    for (let place = ''; ; ) {
      const { items, next } = await list(`?per_page=1${place}`);
      read.push(...items);
      if (next === null) {
        break;
      }
      place = `&before=${next}`;
    }
    expect(read).toEqual(all.items);
    for (const kind of ['capture', 'adjust', 'refund', 'topup']) {
      expect((await list(`?kind=${kind}`)).items).toEqual(all.items.filter((item) => item.kind === kind));
    }
    expect((await list(`?from=${today}&to=${today}`)).items).toEqual(all.items);
    for (const span of ['to=2020-01-31', 'from=2999-01-01']) {
      expect((await list(`?${span}`)).items).toEqual([]);
    }

    const { headers, text } = await operator.get(`${path}.csv?kind=adjust`);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="movements-${accountId}.csv"`);
    expect(text.split('\r\n').map((line) => line.split(',').slice(1, -1).join())).toEqual([
      '"kind","amount","balance","tasks","task_id","reference","reason"',
      `"adjust","-$0.0050","$10.0150","","","note 7","'=1+1"`,
      '',
    ]);
    expect((await operator.get(`${path}?kind=hold`)).status).toBe(400);
    expect((await owner.get(path)).status).toBe(403);
  });
});
