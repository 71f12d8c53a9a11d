import { type ClaimedTask, claimInTurns, type TurnsInput } from '@image-gateway/shared/db';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';

let database: TestDatabase | undefined;

beforeEach(async () => {
  await database?.close();
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const opened = (): TestDatabase => {
  if (!database) throw new Error('no database');
  return database;
};
const terms = { workerId: 'w', leaseMs: 30_000, maxTries: 3 };
const claim = (input: Partial<TurnsInput>): Promise<ClaimedTask[]> =>
  claimInTurns(opened().db, terms, {
    limit: 10,
    overdueMs: 0,
    after: '',
    barred: [],
    perAccount: 10,
    ...input,
  });
/** Accounts in the order of their ids, each with so many tasks. */
async function accountsWith(...counts: number[]): Promise<TestAccount[]> {
  const accounts = await Promise.all(counts.map(() => createTestAccount(opened())));
  accounts.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const [i, account] of accounts.entries())
    for (let n = 0; n < (counts[i] ?? 0); n++) await createTestTask(opened().db, account);
  return accounts;
}
const countsOf = (tasks: readonly ClaimedTask[], accounts: readonly TestAccount[]): number[] =>
  accounts.map(({ id }) => tasks.filter(({ accountId }) => accountId === id).length);

describe('claiming in turns', () => {
  test('every account gets one before any gets two, whoever came first', async () => {
    const accounts = await accountsWith(30, 1, 2, 3);
    expect(countsOf(await claim({ limit: 4 }), accounts)).toEqual([1, 1, 1, 1]);
    expect(countsOf(await claim({ limit: 6 }), accounts)).toEqual([2, 0, 1, 2]);
    expect(countsOf(await claim({ limit: 5 }), accounts)).toEqual([5, 0, 0, 0]);
  });

  test('goes on after the account where the last turn ended, the oldest of an account first', async () => {
    const accounts = await accountsWith(2, 2, 2);
    const [first, second, third] = accounts;
    expect(countsOf(await claim({ limit: 1 }), accounts)).toEqual([1, 0, 0]);
    expect(countsOf(await claim({ limit: 1, after: first?.id ?? '' }), accounts)).toEqual([0, 1, 0]);
    expect(countsOf(await claim({ limit: 1, after: second?.id ?? '' }), accounts)).toEqual([0, 0, 1]);
    expect(await claim({ after: third?.id ?? '' })).toEqual([]);
    const { rows } = await opened().pool.query(
      `SELECT bool_and(a.due_at <= b.due_at) AS ordered FROM tasks a JOIN tasks b USING (account_id)
        WHERE a.phase = 'running' AND b.phase = 'queued'`,
    );
    expect(rows).toEqual([{ ordered: true }]);
  });

  test('leaves out barred accounts, what is not due yet, has no try left or is past its deadline', async () => {
    const accounts = await accountsWith(2, 2, 2, 2, 2);
    const [barred, later, tired, late, good] = accounts.map(({ id }) => id);
    const set = (what: string, id = '') =>
      opened().pool.query(`UPDATE tasks SET ${what} WHERE account_id = $1`, [id]);
    await set("due_at = now() + interval '1 hour'", later);
    await set('tries = 3', tired);
    await set("deadline_at = now() - interval '1 second'", late);
    const claimed = await claim({ limit: 5, barred: [barred ?? ''] });
    expect(new Set(claimed.map(({ accountId }) => accountId))).toEqual(new Set([good]));
    expect(await claim({ overdueMs: 60_000 })).toEqual([]);
  });

  test('gives one account no more than allowed', async () => {
    const accounts = await accountsWith(8, 8);
    expect(countsOf(await claim({ perAccount: 1 }), accounts)).toEqual([1, 1]);
  });

  test('several workers at once never get the same task', async () => {
    await accountsWith(20, 20, 20);
    const claimed = (await Promise.all(Array.from({ length: 8 }, () => claim({ limit: 10 })))).flat();
    expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
    expect(claimed.every(({ attempt }) => attempt === 1)).toBe(true);
  });
});
