import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.checkInvariants();
  await database.close();
});

const run = <T = Record<string, unknown>>(...args: string[]) => runCommand<T>({ db: database.db }, ...args);
const readAudit = async (subject: string): Promise<string[]> => {
  const { rows } = await database.pool.query(
    'SELECT action FROM audit_entries WHERE subject = $1 ORDER BY created_at, id',
    [subject],
  );
  return rows.map(({ action }) => action);
};

describe('balances', () => {
  test('balances are credited once for each reference, however often and at once it comes', async () => {
    const { id } = await createTestAccount(database, { balanceMicros: 0n });
    const credit = (amount: string) =>
      run('account', 'credit', id, '--amount', amount, '--reference', `r-${id}`);
    const runs = await Promise.all(Array.from({ length: 10 }, () => credit('5.00')));
    expect(runs.every(({ code }) => code === 0)).toBe(true);
    expect((await run('account', 'show', id)).value).toMatchObject({
      balance: '$5.0000',
      held: '$0.00',
      available: '$5.0000',
    });
    expect((await credit('6.00')).code).toBe(1);
    expect((await run('account', 'credit', 'acc_none', '--amount', '1')).value.error?.code).toBe('NOT_FOUND');
    expect((await readAudit(id)).filter((action) => action === 'account.credit')).toHaveLength(1);
  });

  test('balances are never adjusted below what is held', async () => {
    const account = await createTestAccount(database, { balanceMicros: 50_000n });
    await createTestTask(database.db, account, { request: { num_outputs: 2 } });
    const adjust = (amount: string) =>
      run('account', 'adjust', account.id, '--amount', amount, '--reason', 'test');
    expect((await adjust('-0.030001')).value.error?.code).toBe('INSUFFICIENT_BALANCE');
    expect((await adjust('-0.03')).value).toMatchObject({
      balance: '$0.0200',
      held: '$0.0200',
      available: '$0.00',
    });
    expect((await adjust('+1')).value).toMatchObject({ balance: '$1.0200' });
    expect((await adjust('1.5')).value).toMatchObject({ balance: '$2.5200' });
  });

  test('balances are adjusted once for each reference, however often and at once it comes, also when little is left', async () => {
    const { id } = await createTestAccount(database, { balanceMicros: 1_000_000n });
    const adjust = (amount: string, reference = `a-${id}`) =>
      run(
        'account',
        'adjust',
        id,
        ...['--amount', amount, '--reason', 'twice charged', '--reference', reference],
      );
    const runs = await Promise.all(Array.from({ length: 10 }, () => adjust('-1.00')));
    expect(runs.map(({ code }) => code)).toEqual(Array(10).fill(0));
    expect(runs.filter(({ value }) => value.adjusted === true)).toHaveLength(1);
    expect((await run('account', 'show', id)).value).toMatchObject({ balance: '$0.00' });
    expect((await readAudit(id)).filter((action) => action === 'account.adjust')).toHaveLength(1);
    for (const other of ['1.00', '-2.00']) {
      expect((await adjust(other)).value.error?.code).toBe('BAD_REQUEST');
    }
    expect((await adjust('-1.00', `b-${id}`)).value.error?.code).toBe('INSUFFICIENT_BALANCE');
    await run('account', 'credit', id, '--amount', '1.00', '--reference', `c-${id}`);
    expect((await adjust('1.00', `c-${id}`)).value.error?.code).toBe('BAD_REQUEST');
  });

  test('balances keep the reason of a credit and of an adjustment on the transfer', async () => {
    const { id } = await createTestAccount(database, { balanceMicros: 0n });
    await run('account', 'credit', id, '--amount', '2', '--reason', 'paid in cash');
    await run('account', 'adjust', id, '--amount', '-1', '--reason', 'cleaning');
    const { rows } = await database.pool.query(
      'SELECT kind, reason FROM ledger_transfers WHERE account_id = $1 ORDER BY created_at, id',
      [id],
    );
    expect(rows).toEqual([
      { kind: 'topup', reason: 'paid in cash' },
      { kind: 'adjust', reason: 'cleaning' },
    ]);
  });
});
