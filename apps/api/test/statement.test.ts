import { adjustAccount, creditAccount, refundTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOperator, newOwner, toAccount } from './dashboard/support/people.js';
import { createKeyMaker } from './support/create-key-maker.js';
import { finishTask } from './support/finish-task.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
});
afterAll(async () => {
  await api.test.checkInvariants('live');
  await api.stop();
});

interface Item {
  readonly kind: string;
  readonly amount: string;
  readonly balance: string;
  readonly by: string;
  readonly tasks?: number;
  readonly reference?: string;
  readonly reason?: string;
}
interface Read {
  readonly balance: string;
  readonly held: string;
  readonly available: string;
  readonly items: readonly Item[];
  readonly pagination: { readonly total: number };
}
const PATH = '/v1/account/statement';
const read = async (as: TestAccount, query = ''): Promise<Read> =>
  (await api.call(`${PATH}${query}`, { as })).json.data as unknown as Read;
const micros = (text: string): number => Math.round(Number(text.replace('$', '')) * 1e6);
/** Lines whose balance is not that of the next older one and their own amount. */
const findBreaks = ({ items }: Read): unknown[] =>
  items.filter(
    ({ balance, amount }, index) =>
      micros(balance) - micros(amount) !== micros(items[index + 1]?.balance ?? '$0.00'),
  );

describe('GET /v1/account/statement', () => {
  test('GET /v1/account/statement has what moved the money, newest first, and names nobody', async () => {
    const [account, stranger] = [await api.account({ balanceMicros: 0n }), await api.account()];
    const deps = { db: api.test.db, newId };
    const by = { accountId: account.id, actor: 'jo@gateway.example' };
    await creditAccount(deps, { ...by, amountMicros: 5_000_000n, reference: 'inv-7', reason: 'wire' });
    await creditAccount(deps, { ...by, amountMicros: 1_000_000n, reference: `dashboard:${'0'.repeat(32)}` });
    const task = await finishTask(api, account);
    await finishTask(api, account, { images: [Buffer.from('a'), Buffer.from('b')] });
    await finishTask(api, stranger);
    await refundTask(deps, { taskId: task.id, reason: 'blurred', actor: by.actor });
    await adjustAccount(deps, { ...by, deltaMicros: -1_000n, reason: 'a suspicion', reference: 'case 9' });
    await adjustAccount(deps, {
      ...by,
      deltaMicros: 2_000n,
      reason: '=cmd()',
      reference: 'gift',
      isShown: true,
    });
    const seen = await read(account);
    expect(seen.items.map(({ kind, amount, by: who, ...item }) => [kind, amount, who, item])).toEqual([
      ['capture', '-$0.0300', 'you', expect.objectContaining({ tasks: 2 })],
      ['adjust', '$0.0020', 'operator', expect.objectContaining({ reason: '=cmd()', reference: 'gift' })],
      ['adjust', '-$0.0010', 'operator', expect.not.objectContaining({ reason: 'a suspicion' })],
      ['refund', '$0.0100', 'operator', expect.objectContaining({ reason: 'blurred', task_id: task.id })],
      ['topup', '$1.0000', 'operator', expect.not.objectContaining({ reference: expect.anything() })],
      ['topup', '$5.0000', 'operator', expect.objectContaining({ reason: 'wire', reference: 'inv-7' })],
    ]);
    expect(JSON.stringify(seen)).not.toMatch(/jo@gateway|case 9|suspicion|dashboard:/);
    expect(findBreaks(seen)).toEqual([]);
    expect([seen.balance, seen.held, seen.available]).toEqual(['$5.9810', '$0.00', '$5.9810']);
    expect(seen.items[0]?.balance).toBe(seen.balance);

    const csv = await api.call(`${PATH}?format=csv&kind=adjust`, { as: account });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.text.split('\r\n').map((line) => line.split(',').slice(1, -1).join())).toEqual([
      '"kind","amount","balance","by","tasks","task_id","reference","reason"',
      `"adjust","$0.0020","$6.0110","operator","","","gift","'=cmd()"`,
      '"adjust","-$0.0010","$6.0090","operator","","","",""',
      '',
    ]);
  });

  test('GET /v1/account/statement is filtered by kind and span and read in pages, and keeps the money of all', async () => {
    const account = await api.account();
    await finishTask(api, account);
    await creditAccount({ db: api.test.db, newId }, { accountId: account.id, amountMicros: 1_000_000n });
    const all = await read(account);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => read(account, `?per_page=1&page=${page}`)));
    expect(pages.flatMap(({ items }) => items)).toEqual(all.items);
    expect(pages.map(({ balance, pagination }) => [balance, pagination.total])).toEqual(
      pages.map(() => [all.balance, 3]),
    );
    expect((await read(account, '?kind=topup')).items).toHaveLength(2);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    expect((await read(account, `?to=${tomorrow}`)).items).toEqual(all.items);
    expect(await read(account, `?from=${tomorrow}`)).toMatchObject({ items: [], balance: all.balance });
    expect((await api.call(`${PATH}?kind=hold`, { as: account })).status).toBe(400);
    const drawer = await createKeyMaker(api, account)('--scopes', 'generate');
    expect((await api.call(PATH, { as: { ...account, apiKey: drawer.apiKey } })).status).toBe(403);
  });

  test('the newest line of a statement has the balance at any moment, also while tasks are charged and money is booked', async () => {
    const account = await api.account();
    const deps = { db: api.test.db, newId };
    const work = { isOver: false };
    const done = (async () => {
      for (let i = 0; i < 12; i++) {
        await Promise.all([
          finishTask(api, account),
          creditAccount(deps, { accountId: account.id, amountMicros: 1_000n }),
          adjustAccount(deps, { accountId: account.id, deltaMicros: -10n, reason: 'x' }),
        ]);
      }
      work.isOver = true;
    })();
    const balances = new Set<string>();
    while (!work.isOver) {
      const seen = await read(account, '?per_page=100');
      expect([seen.items[0]?.balance, findBreaks(seen)]).toEqual([seen.balance, []]);
      balances.add(seen.balance);
    }
    await done;
    expect(balances.size).toBeGreaterThan(3);
    expect((await read(account)).items.find(({ kind }) => kind === 'capture')).toMatchObject({
      amount: '-$0.1200',
      tasks: 12,
    });
  });
});

describe('the page of billing', () => {
  test('the page of billing has the statement of its account, and reasons of adjustments that the operator ticked', async () => {
    const [operator, owner, stranger] = [await newOperator(api), await newOwner(api), await newOwner(api)];
    await finishTask(api, toAccount(stranger));
    const adjust = (body: object) => operator.post(`/operator/accounts/${owner.accountId}/adjust`, body);
    await adjust({ amount: '-1.00', reason: 'hidden one' });
    await adjust({ amount: '2.00', reason: 'sorry for yesterday', shown: true });
    const today = new Date().toISOString().slice(0, 10);
    const seen = (await owner.get(`/statement?from=${today}&to=${today}`)).data as unknown as Read;
    expect(seen.items.map(({ kind, balance, reason }) => [kind, balance, reason])).toEqual([
      ['adjust', '$11.0000', 'sorry for yesterday'],
      ['adjust', '$9.0000', undefined],
      ['topup', '$10.0000', undefined],
    ]);
    // Made references are no words for people.
    expect(JSON.stringify(seen)).not.toMatch(/opening:|dashboard:/);
    const { text, headers } = await owner.get('/statement.csv');
    expect(headers.get('content-disposition')).toBe('attachment; filename="statement.csv"');
    expect(text.trim().split('\r\n')).toHaveLength(4);
    expect(text).not.toContain('hidden one');
  });

  test('the page of billing shows the credit of a sign-up as given by the system', async () => {
    const owner = await newOwner(api, 0n);
    const change = { accountId: owner.accountId, deltaMicros: 500_000n, reason: 'credit of the sign-up' };
    await adjustAccount({ db: api.test.db, newId }, { ...change, reference: `signup:${owner.accountId}` });
    const { items } = (await owner.get('/statement')).data as unknown as Read;
    expect(items).toEqual([
      expect.objectContaining({ by: 'system', reason: 'credit of the sign-up', amount: '$0.5000' }),
    ]);
    expect(items[0]).not.toHaveProperty('reference');
  });
});
