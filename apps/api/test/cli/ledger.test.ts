import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  repositoryRoot,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkLedger, type LedgerProgress } from '../../src/system/ledger/check-ledger.js';
import { parseInvariants } from '../../src/system/ledger/parse-invariants.js';
import { restrictToRange } from '../../src/system/ledger/restrict-to-range.js';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const check = (...args: string[]) =>
  runCommand<{
    ok: boolean;
    checked: number;
    broken: { name: string; rows: { id: string }[]; remediation: string }[];
  }>({ db: database.db }, 'ledger', 'check', ...args);

describe('ledger check', () => {
  test('ledger check runs the live invariants, and with --rest also those of a system at rest', async () => {
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

  test('ledger check names the rows that break a rule and exits with 1', async () => {
    const { id } = await createTestAccount(database);
    await database.pool.query('UPDATE accounts SET balance_micros = balance_micros + 1 WHERE id = $1', [id]);
    const { code, value } = await check();
    expect(code).toBe(1);
    expect(value.error?.message).toMatch(/^2 of \d+ invariants are broken\.$/);
    const [balance] = value.broken.filter(({ name }) => name.startsWith('I2 '));
    expect(balance?.rows).toEqual([{ id, expected: '$10.0000', actual: '$10.000001' }]);
    expect(balance?.remediation).toContain('account suspend ID');
    await database.pool.query(
      'UPDATE accounts SET balance_micros = balance_micros - 1, open_count = 3 WHERE id = $1',
      [id],
    );
    const counter = await check();
    expect(counter.value.broken.find(({ name }) => name.startsWith('I22 '))).toMatchObject({
      rows: [{ id, expected: '0', actual: '3' }],
      remediation: expect.stringContaining('ledger recount'),
    });
    await database.pool.query('UPDATE accounts SET open_count = 0 WHERE id = $1', [id]);
  });

  test('ledger check finds in small steps what it finds as a whole, and goes on from a position', async () => {
    const invariants = await readFile(path.join(repositoryRoot(), 'prisma/invariants.sql'), 'utf8');
    const accounts = await Promise.all(Array.from({ length: 5 }, () => createTestAccount(database)));
    const tasks = await Promise.all(
      accounts.flatMap((account) => [1, 2, 3].map(() => createTestTask(database.db, account))),
    );
    const [spoiled] = [...tasks].sort((a, b) => (a.id < b.id ? 1 : -1));
    await database.pool.query('UPDATE tasks SET stored_count = 1 WHERE id = $1', [spoiled?.id]);
    const positions: string[] = [];
    const sizes = { accounts: 1, tasks: 2 };
    const inSteps = (more: object) =>
      checkLedger({ db: database.db }, { invariants, rest: true, sizes, ...more });
    const names = ({ broken }: Awaited<ReturnType<typeof inSteps>>) => broken.map(({ name }) => name).sort();
    const small = await inSteps({ onProgress: ({ position }: LedgerProgress) => positions.push(position) });
    const whole = await inSteps({ sizes: undefined });
    expect(names(small)).toEqual(names(whole));
    expect(small.broken).toContainEqual({
      name: expect.stringContaining('stored images'),
      rows: [{ id: spoiled?.id }],
    });
    expect(positions.filter((position) => position.startsWith('account:')).length).toBeGreaterThan(4);
    expect(positions.filter((position) => position.startsWith('task:')).length).toBeGreaterThan(6);
    const rest = await inSteps({ from: positions.at(-2) });
    expect(names(rest)).toEqual([expect.stringContaining('stored images')]);
    expect((await check('--from', 'nowhere')).code).toBe(1);
  });

  test('ledger check asks for every rule as it stands, whole or range by range', async () => {
    const text = await readFile(path.join(repositoryRoot(), 'prisma/invariants.sql'), 'utf8');
    const rules = parseInvariants(text);
    expect(rules.length).toBeGreaterThan(15);
    for (const rule of rules) {
      await database.pool.query(rule.sql);
      if (rule.by === null) {
        continue;
      }
      const ranges = [
        { after: '', upTo: null },
        { after: 'a', upTo: 'z' },
      ];
      for (const range of ranges) {
        const { statement, values } = restrictToRange({ ...rule, by: rule.by }, range);
        await database.db.run(statement, values);
      }
    }
  });
});
