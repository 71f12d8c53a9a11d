import {
  type ClaimedTask,
  claimFewInTurns,
  claimInTurns,
  type Database,
  type Turns,
  type TurnsInput,
} from '@image-gateway/shared/db';
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
  // Sessions of a busy machine wait long for each other.
  database = await createTestDatabase({ maxWaitMs: 60_000, statementTimeoutMs: 60_000 });
});
afterAll(() => database?.close());

type Runner = Pick<Database, 'run'>;
const opened = (): TestDatabase => {
  if (!database) {
    throw new Error('no database');
  }
  return database;
};
const terms = { workerId: 'w', leaseMs: 30_000, maxTries: 3 };
const INPUT = { limit: 10, overdueMs: 0, after: '', blocked: [], perAccount: 10 };
type Claim = (input: Partial<TurnsInput & { maxVisited: number }>) => Promise<ClaimedTask[]>;
const walk = (
  input: Partial<TurnsInput & { maxVisited: number }>,
  db: Runner = opened().db,
): Promise<Turns> => claimInTurns(db, terms, { ...INPUT, maxVisited: 100, ...input });
const claimByWalk: Claim = async (input) => (await walk(input)).tasks;
const claimFew: Claim = async (input) =>
  (await claimFewInTurns(opened().db, terms, { ...INPUT, ...input }))?.tasks ?? [];
/** Accounts in the order of their ids, each with so many tasks. */
async function accountsWith(...counts: number[]): Promise<TestAccount[]> {
  const accounts = await Promise.all(counts.map(() => createTestAccount(opened())));
  accounts.sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const [i, account] of accounts.entries()) {
    for (let n = 0; n < (counts[i] ?? 0); n++) {
      await createTestTask(opened().db, account);
    }
  }
  return accounts;
}
const countByAccount = (tasks: readonly ClaimedTask[], accounts: readonly TestAccount[]): number[] =>
  accounts.map(({ id }) => tasks.filter(({ accountId }) => accountId === id).length);

describe.each([
  ['over accounts', claimByWalk],
  ['of few tasks', claimFew],
])('claiming in turns %s', (_how, claim) => {
  test('every account gets one before any gets two, whoever came first', async () => {
    const accounts = await accountsWith(30, 1, 2, 3);
    expect(countByAccount(await claim({ limit: 4 }), accounts)).toEqual([1, 1, 1, 1]);
    expect(countByAccount(await claim({ limit: 6, perAccount: 2 }), accounts)).toEqual([2, 0, 1, 2]);
    expect(countByAccount(await claim({ limit: 5 }), accounts)).toEqual([5, 0, 0, 0]);
  });

  test('a claim in turns goes on after the account where the last turn ended, the oldest of an account first', async () => {
    const accounts = await accountsWith(2, 2, 2);
    const [first, second] = accounts;
    expect(countByAccount(await claim({ limit: 1 }), accounts)).toEqual([1, 0, 0]);
    expect(countByAccount(await claim({ limit: 1, after: first?.id ?? '' }), accounts)).toEqual([0, 1, 0]);
    expect(countByAccount(await claim({ limit: 1, after: second?.id ?? '' }), accounts)).toEqual([0, 0, 1]);
    const { rows } = await opened().pool.query(
      `SELECT bool_and(a.due_at <= b.due_at) AS ordered FROM tasks a JOIN tasks b USING (account_id)
        WHERE a.phase = 'running' AND b.phase = 'queued'`,
    );
    expect(rows).toEqual([{ ordered: true }]);
  });

  test('a claim in turns leaves out blocked accounts, what is not due yet, has no try left or is past its deadline', async () => {
    const accounts = await accountsWith(2, 2, 2, 2, 2);
    const [blocked, later, tired, late, good] = accounts.map(({ id }) => id);
    const set = (what: string, id = '') =>
      opened().pool.query(`UPDATE tasks SET ${what} WHERE account_id = $1`, [id]);
    await set("due_at = now() + interval '1 hour'", later);
    await set('tries = 3', tired);
    await set("deadline_at = now() - interval '1 second'", late);
    const claimed = await claim({ limit: 5, blocked: [blocked ?? ''] });
    expect(new Set(claimed.map(({ accountId }) => accountId))).toEqual(new Set([good]));
    expect(await claim({ overdueMs: 60_000 })).toEqual([]);
  });

  test('a claim in turns gives one account no more than allowed', async () => {
    const accounts = await accountsWith(8, 8);
    expect(countByAccount(await claim({ perAccount: 1 }), accounts)).toEqual([1, 1]);
  });

  test('several workers at once never get the same task', async () => {
    // They meet in most rounds, not in all.
    for (let round = 0; round < 5; round++) {
      await accountsWith(20, 20, 20);
      const claimed = (await Promise.all(Array.from({ length: 8 }, () => claim({ limit: 10 })))).flat();
      expect(new Set(claimed.map(({ id }) => id)).size).toBe(claimed.length);
      expect(claimed.every(({ attempt }) => attempt === 1)).toBe(true);
    }
  });
});

/** A database that notes how many pages each statement reads, from memory or not. */
function counting(): { readonly db: Runner; readonly pages: number[] } {
  const pages: number[] = [];
  return {
    pages,
    db: {
      run: async (statement, values) => {
        const client = await opened().pool.connect();
        await client.query('BEGIN');
        const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
          `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${statement.text}`,
          [...values],
        );
        await client.query('ROLLBACK');
        client.release();
        const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {};
        pages.push((plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0));
        return opened().db.run(statement, values);
      },
    },
  };
}
/** Adds accounts with one task each, due in an hour; their ids come before those of other accounts. */
async function addWaiting(count: number): Promise<void> {
  const { id, apiKeyId } = await createTestAccount(opened());
  const { rows } = await opened().pool.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
      WHERE table_name = 'accounts' AND column_name NOT IN ('id', 'email')`,
  );
  await opened().pool.query(
    `INSERT INTO accounts (id, email, ${rows[0]?.columns})
     SELECT 'acc_!' || lpad(i::text, 6, '0'), i || '@test', ${rows[0]?.columns}
       FROM accounts, generate_series(1, $2::int) i WHERE id = $1`,
    [id, count],
  );
  await opened().pool.query(
    `INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs,
       image_urls, due_at, deadline_at, unit_micros, hold_micros)
     SELECT 'gen_!' || i, 'acc_!' || lpad(i::text, 6, '0'), $1, 'req', 'nanobanana', 'image_generate', 'x', '16:9', '1k', 1,
       '{}', now() + interval '1 hour', now() + interval '2 hours', 10000, 10000 FROM generate_series(1, $2::int) i`,
    [apiKeyId, count],
  );
}

describe('tasks that wait for later', () => {
  test('tasks that wait for later of 10,000 accounts cost a claim of what is due no page', async () => {
    const accounts = await accountsWith(3);
    const read = async () => {
      const { db, pages } = counting();
      expect((await claimFewInTurns(db, terms, { ...INPUT, limit: 1 }))?.tasks).toHaveLength(1);
      return pages[0] ?? 0;
    };
    await read();
    const before = await read();
    await addWaiting(10_000);
    expect(await read()).toBeLessThan(before + 10);
    expect(countByAccount((await walk({ maxVisited: 20_000 })).tasks, accounts)).toEqual([0]);
  });

  test('tasks that wait for later are stepped over a page of accounts at a time, until the account with something due is reached', async () => {
    await addWaiting(250);
    const accounts = await accountsWith(1);
    const found: number[] = [];
    for (let after = '', page = 0; page < 3; page++) {
      const { tasks, next } = await walk({ after, maxVisited: 100, limit: 2 });
      found.push(...countByAccount(tasks, accounts));
      expect(next === '').toBe(page === 2);
      after = next;
    }
    expect(found).toEqual([0, 0, 1]);
  });

  test('tasks that wait for later are no part of a long backlog: it is told, and the walk ends after the accounts that get something', async () => {
    const accounts = await accountsWith(300, 1, 1);
    expect(await claimFewInTurns(opened().db, terms, INPUT)).toBeNull();
    const { tasks, next } = await walk({ limit: 2 });
    expect([countByAccount(tasks, accounts), next]).toEqual([[1, 1, 0], accounts[1]?.id]);
    const { db, pages } = counting();
    expect((await walk({ limit: 2, after: next }, db)).tasks).toHaveLength(1);
    expect(pages[0]).toBeLessThan(150);
  });
});
