import {
  type Database,
  listNewestTasks,
  listTasks,
  listUsage,
  listUsageWithRefunds,
  type Statement,
  sumUsage,
} from '@image-gateway/shared/db';
import {
  createTestAccount,
  createTestDatabase,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { batchStatements } from '../../src/domain/db/batch-statements.js';
import { setBucketSize } from './support/insert-history.js';

let database: TestDatabase;
let session: pg.PoolClient;
let account: TestAccount;

const TASKS = 40_000;
/** Rows that a statement may look at: some buckets of the counters and what lies between two places of a page. */
const MAX_ROWS = 10_000;
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

/**
 * Inserts finished tasks of some accounts with their usage, without the triggers. They come a second apart, and every
 * `failedEvery`th one failed.
 */
async function insertTasks({
  prefix,
  accounts,
  count,
  from,
  failedEvery,
}: {
  prefix: string;
  accounts: readonly string[];
  count: number;
  from: number;
  failedEvery: number;
}): Promise<void> {
  await session.query('SET session_replication_role = replica');
  await session.query(
    `INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs, image_urls,
       deadline_at, unit_micros, hold_micros, cost_micros, stored_count, status, phase, settled_attempt, error, created_at, started_at, completed_at)
     SELECT $1 || lpad(i::text, 12, '0'), ($2::text[])[1 + i % cardinality($2::text[])], 'key_1', 'req', 'nanobanana', 'image_generate', 'x', '16:9',
            '1k', 1, '{}', at, 10000, 10000, CASE WHEN failed THEN 0 ELSE 10000 END, (NOT failed)::int,
            CASE WHEN failed THEN 'failed' ELSE 'completed' END, 'done', 0, CASE WHEN failed THEN 'x' END, at, at, at
       FROM generate_series(1, $3::int) i
      CROSS JOIN LATERAL (SELECT $4::timestamptz + make_interval(secs => i) AS at, i % $5::int = 0 AS failed) t`,
    [`gen_${prefix}`, accounts, count, new Date(from), failedEvery],
  );
  await session.query(
    `INSERT INTO usage_records (id, task_id, account_id, api_key_id, model, type, units, cost_micros, created_at)
     SELECT 'use' || substr(id, 4), id, account_id, api_key_id, model, type, 1, cost_micros, completed_at
       FROM tasks WHERE id LIKE $1 AND status = 'completed'`,
    [`gen_${prefix}%`],
  );
  await session.query(
    `INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, task_id, created_at)
     SELECT 'led' || substr(id, 4), 'capture', 'cust:' || account_id, 'revenue', cost_micros, account_id, id, completed_at
       FROM tasks WHERE id LIKE $1 AND status = 'completed'`,
    [`gen_${prefix}%`],
  );
  await session.query('SET session_replication_role = DEFAULT; SELECT recount_lists()');
  await session.query(
    `UPDATE accounts a SET task_count = (SELECT count(*) FROM tasks t WHERE t.account_id = a.id),
            usage_count = (SELECT count(*) FROM usage_records u WHERE u.account_id = a.id)`,
  );
}

const TABLES = ['tasks', 'usage_records', 'ledger_transfers', 'task_counts', 'usage_counts', 'accounts'];
const others = Array.from({ length: 500 }, (_, i) => `acc_other${i}`);

/** Statistics that PostgreSQL has of the tables when the account's tasks come in. */
const STATISTICS: readonly (readonly [string, () => Promise<void>])[] = [
  ['no statistics', async () => undefined],
  ['statistics of empty tables', async () => void (await session.query(`ANALYZE ${TABLES.join(', ')}`))],
  [
    'statistics of many small accounts without a failed task',
    async () => {
      await insertTasks({
        prefix: 'a',
        accounts: others,
        count: 5_000,
        from: NOW - 300 * DAY_MS,
        failedEvery: 100_000,
      });
      await session.query(`ANALYZE ${TABLES.join(', ')}`);
    },
  ],
  [
    'statistics of one task of each account',
    async () => {
      await insertTasks({
        prefix: 'a',
        accounts: others,
        count: 500,
        from: NOW - 300 * DAY_MS,
        failedEvery: 100_000,
      });
      await session.query(`ANALYZE ${TABLES.join(', ')}`);
    },
  ],
];

interface Node {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Node[];
}

/** Most rows that a step of a plan gave or dropped. */
function countRows(node: Node): number {
  const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  const own = (node['Actual Rows'] + dropped) * node['Actual Loops'];
  return Math.max(own, ...(node.Plans ?? []).map(countRows));
}

function toLiteral(value: unknown): string {
  if (value === null) {
    return 'NULL';
  }
  const text =
    value instanceof Date
      ? value.toISOString()
      : Array.isArray(value)
        ? `{${value.join(',')}}`
        : String(value);
  return session.escapeLiteral(text);
}

/** Runs statements as EXPLAIN ANALYZE does, with both kinds of plans; records the rows that each of them looked at. */
function explain(looked: [name: string, rows: number][]): Pick<Database, 'run'> {
  const run = async <Row>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> => {
    const execute = `EXECUTE looked_at(${values.map(toLiteral).join(', ')})`;
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await session.query(`SET plan_cache_mode = ${mode}; PREPARE looked_at AS ${text}`);
      const { rows } = await session.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${execute}`);
      looked.push([`${name}, ${mode}`, countRows(rows[0]['QUERY PLAN'][0].Plan as Node)]);
      await session.query('DEALLOCATE looked_at');
    }
    await session.query(`PREPARE looked_at AS ${text}`);
    const { rows } = await session.query(execute);
    await session.query('DEALLOCATE looked_at');
    return rows.map((row) => ({
      ...row,
      ...(row.total !== undefined && { total: BigInt(row.total) }),
    })) as Row[];
  };
  return { run: batchStatements(run) };
}

const page = (offset: number, limit = 100) => ({ limit, offset: BigInt(offset) });
const span = { from: new Date(NOW + 10_000_000), to: new Date(NOW + 20_000_000) };

const READS: readonly (readonly [string, (db: Pick<Database, 'run'>, id: string) => Promise<unknown>])[] = [
  ['first pages', (db, id) => listTasks(db, id, {}, page(900))],
  ['first pages of finished tasks', (db, id) => listNewestTasks(db, id, page(900))],
  ['a far page', (db, id) => listTasks(db, id, {}, page(30_000))],
  ['a page of failed tasks', (db, id) => listTasks(db, id, { status: 'failed' }, page(0))],
  [
    'failed tasks of a span',
    (db, id) =>
      listTasks(db, id, { status: 'failed', createdAfter: span.from, createdBefore: span.to }, page(0)),
  ],
  ['a page of a model', (db, id) => listTasks(db, id, { model: 'nanobanana' }, page(20_000))],
  ['first pages of usage', (db, id) => listUsage(db, id, {}, page(900))],
  ['a far page of usage', (db, id) => listUsage(db, id, {}, page(19_000))],
  ['usage of a span', (db, id) => listUsage(db, id, span, page(5_000))],
  ['usage with refunds', (db, id) => listUsageWithRefunds(db, id, {}, page(900))],
  ['a far page of usage with refunds', (db, id) => listUsageWithRefunds(db, id, {}, page(19_000))],
  ['a sum', (db, id) => sumUsage(db, id, { groups: ['model'], includeRefunds: true })],
  ['a sum of a span', (db, id) => sumUsage(db, id, { ...span, groups: ['key'], includeRefunds: true })],
];

describe.each(STATISTICS)('lists of an account whose tasks came since, with %s', (_what, prepare) => {
  beforeAll(async () => {
    database = await createTestDatabase();
    session = await database.pool.connect();
    await setBucketSize(database, 100);
    for (const table of TABLES) {
      await session.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    }
    account = await createTestAccount(database);
    await prepare();
    await insertTasks({ prefix: 'h', accounts: [account.id], count: TASKS, from: NOW, failedEvery: 2 });
  });
  afterAll(async () => {
    session.release(true);
    await database.close();
  });

  test.each(READS)('%s', async (_name, read) => {
    const looked: [string, number][] = [];
    await read(explain(looked), account.id);
    expect(looked.length).toBeGreaterThan(0);
    expect(looked.filter(([, rows]) => rows > MAX_ROWS)).toEqual([]);
  });
});
