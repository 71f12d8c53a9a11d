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
afterAll(() => database.close());

const check = (...args: string[]) =>
  runCommand<{ ok: boolean; checked: number; broken: { name: string; rows: { id: string }[] }[] }>(
    { db: database.db },
    'ledger',
    'check',
    ...args,
  );

describe('ledger check', () => {
  test('runs the live invariants, and with --rest also those of a system at rest', async () => {
    const account = await createTestAccount(database);
    const live = await check();
    expect([live.code, live.value.ok]).toEqual([0, true]);
    const rest = await check('--rest');
    expect([rest.code, rest.value.checked - live.value.checked]).toEqual([0, 2]);
    await createTestTask(database.db, account);
    expect((await check()).code).toBe(0);
    const pending = await check('--rest');
    expect([pending.code, pending.value.broken.map(({ name }) => name.split(' ')[0])]).toEqual([1, ['I1']]);
  });

  test('names the rows that break a rule and exits with 1', async () => {
    const { id } = await createTestAccount(database);
    await database.pool.query('UPDATE accounts SET balance_micros = balance_micros + 1 WHERE id = $1', [id]);
    const { code, value } = await check();
    expect(code).toBe(1);
    expect(value.error?.message).toMatch(/^2 of \d+ invariants are broken\.$/);
    expect(value.broken.find(({ name }) => name.startsWith('I2'))?.rows).toEqual([{ id }]);
  });
});
