import { settleTask } from '@image-gateway/shared/billing';
import {
  listNewestTasks,
  listTasks,
  listUsage,
  sumUsage,
  type TaskFilter,
  type UsageRowFilter,
} from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { presentTask, type TaskView } from '@image-gateway/shared/presenters';
import type { PublicTask } from '@image-gateway/shared/task/schema';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { HISTORY_START, type HistoryTask, insertHistory, setBucketSize } from './support/insert-history.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await setBucketSize(database, 3);
});
afterAll(async () => {
  await database.checkInvariants();
  await database.close();
});

const MODELS = ['nanobanana', 'nanobanana-pro'];
const TYPES = ['image_generate', 'image_edit'] as const;
const STATUSES = ['pending', 'completed', 'failed'] as const;
const LAST_MS = 40;

const taskArbitrary = fc.record({
  createdMs: fc.integer({ min: 0, max: LAST_MS }),
  status: fc.constantFrom(...STATUSES),
  model: fc.constantFrom(...MODELS),
  type: fc.constantFrom(...TYPES),
});
const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const timeArbitrary = option(
  fc.integer({ min: -2, max: LAST_MS + 2 }).map((ms) => new Date(HISTORY_START + ms)),
);
const pageArbitrary = fc.record({
  limit: fc.integer({ min: 1, max: 7 }),
  offset: fc.oneof(fc.bigInt({ min: 0n, max: 70n }), fc.bigInt({ min: 1_000n, max: 9n * 10n ** 17n })),
});
const asksArbitrary = fc.array(
  fc.record({
    page: pageArbitrary,
    status: option(fc.constantFrom(...STATUSES)),
    model: option(fc.constantFrom(...MODELS)),
    type: option(fc.constantFrom(...TYPES)),
    key: fc.boolean(),
    from: timeArbitrary,
    to: timeArbitrary,
  }),
  { minLength: 6, maxLength: 12 },
);
/** Statements, each with the tasks it inserts; times come in any order. */
const historyArbitrary = fc.array(fc.array(taskArbitrary, { minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 10,
});

type Ask = typeof asksArbitrary extends fc.Arbitrary<readonly (infer A)[]> ? A : never;

async function createHistory(statements: readonly (readonly Omit<HistoryTask, 'id'>[])[]) {
  const account = await createTestAccount(database);
  const pending: string[] = [];
  for (const tasks of statements) {
    const named = tasks.map((task) => ({ ...task, id: newId('gen') }));
    await insertHistory(database, account, named);
    pending.push(...named.filter(({ status }) => status === 'pending').map(({ id }) => id));
  }
  return { account, pending };
}

/** Ids of a page and the total, by counting and skipping all rows. */
async function readNaively(
  table: string,
  condition: string,
  values: readonly unknown[],
  { limit, offset }: Ask['page'],
) {
  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT id FROM ${table} t WHERE ${condition} ORDER BY created_at DESC, id DESC`,
    [...values],
  );
  const first = Number(offset);
  return { ids: rows.slice(first, first + limit).map(({ id }) => id), total: rows.length };
}

async function compareTasks(accountId: string, { page, status, model, type, from, to }: Ask) {
  const given = { status, model, type, createdAfter: from, createdBefore: to };
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value)) as TaskFilter;
  const { rows, total } = await listTasks(database.db, accountId, filter, page);
  const condition = `account_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR model = $3)
    AND ($4::text IS NULL OR type = $4) AND ($5::timestamptz IS NULL OR created_at > $5) AND ($6::timestamptz IS NULL OR created_at < $6)`;
  const values = [accountId, status, model, type, from, to];
  expect({ ids: rows.map(({ id }) => id), total }).toEqual(
    await readNaively('tasks', condition, values, page),
  );
}

const present = (task: TaskView): PublicTask => presentTask(task, '');

/** Compares the ids and pending tasks of several pages that are asked for at the same moment. */
async function compareNewest(accountId: string, asks: readonly Ask[]) {
  await Promise.all(
    asks.map(async ({ page }) => {
      const newest = await listNewestTasks(database.db, accountId, page);
      if (page.offset >= 1_000n) {
        expect(newest).toBeNull();
        return;
      }
      const { rows, total } = await listTasks(database.db, accountId, {}, page);
      expect(newest && { ...newest, pending: [...newest.pending.values()].map(present) }).toEqual({
        total,
        ids: rows.map(({ id }) => id),
        pending: rows.filter(({ status }) => status === 'pending').map(present),
      });
    }),
  );
}

async function compareUsage(accountId: string, apiKeyId: string, { page, model, key, from, to }: Ask) {
  const given = { model, apiKeyId: key ? apiKeyId : undefined, from, to };
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value)) as UsageRowFilter;
  const { rows, total } = await listUsage(database.db, accountId, filter, page);
  const condition = `account_id = $1 AND ($2::text IS NULL OR model = $2) AND ($3::text IS NULL OR api_key_id = $3)
    AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at < $5)`;
  const values = [accountId, model, filter.apiKeyId, from, to];
  const naive = await readNaively('usage_records', condition, values, page);
  expect({ ids: rows.map(({ id }) => id), total }).toEqual(naive);
  for (const groups of [['model'], ['key', 'model'], ['day'], ['hour', 'key']] as const) {
    const sums = await sumUsage(database.db, accountId, { ...filter, groups, includeRefunds: false });
    expect(sums.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(naive.total);
    expect(
      sums.every(({ requests, units, costMicros }) => requests === units && costMicros === units * 10_000n),
    ).toBe(true);
  }
}

describe('pages and totals from counters', () => {
  test('pages and totals from counters are those of counting and skipping all rows, for any history, filter and page', async () => {
    await fc.assert(
      fc.asyncProperty(historyArbitrary, asksArbitrary, async (statements, asks) => {
        const { account, pending } = await createHistory(statements);
        const deps = { db: database.db, newId, fileUrl: 'http://gateway.test/files' };
        for (const taskId of pending.slice(0, 3)) {
          await settleTask(deps, { taskId, attempt: 0, reason: 'x' });
        }
        for (const ask of asks) {
          await compareTasks(account.id, ask);
          await compareUsage(account.id, account.apiKeyId, ask);
        }
        await compareNewest(account.id, asks);
      }),
      { numRuns: 25 },
    );
  });

  test('fit together while tasks are submitted and end', async () => {
    const account = await createTestAccount(database);
    const deps = { db: database.db, newId, fileUrl: 'http://gateway.test/files' };
    let working = true;
    const work = async (): Promise<void> => {
      for (let i = 0; i < 8; i++) {
        const { id } = await createTestTask(database.db, account);
        await settleTask(deps, { taskId: id, attempt: 0, reason: 'x' });
      }
    };
    const look = async (): Promise<void> => {
      const page = { limit: 100, offset: 0n };
      while (working) {
        for (const status of [undefined, ...STATUSES]) {
          const filter = { createdAfter: new Date(0), ...(status && { status }) };
          const { rows, total } = await listTasks(database.db, account.id, filter, page);
          expect(rows.length).toBe(total);
        }
      }
    };
    const looking = Promise.all([look(), look()]);
    await Promise.all([work(), work(), work(), work()]).finally(() => {
      working = false;
    });
    await looking;
    const { total } = await listTasks(
      database.db,
      account.id,
      { status: 'failed' },
      { limit: 1, offset: 0n },
    );
    expect(total).toBe(32);
  });

  test('a recount of all rows gives what the triggers counted', async () => {
    await database.pool.query('SELECT recount()');
    await database.checkInvariants();
    const { rows } = await database.pool.query<{ most: number }>(
      'SELECT max(n)::int AS most FROM (SELECT count(*) AS n FROM task_counts GROUP BY account_id) c',
    );
    expect(rows[0]?.most).toBeGreaterThan(5);
  });
});
