import type { Database, Statement } from '@image-gateway/shared/db';
import { newRequestId } from '@image-gateway/shared/ids';
import { createTestAccount, createTestDatabase, type TestDatabase } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import { search } from '../src/system/find-anything.js';
import {
  listTaskLog,
  MAX_LOOKED,
  MAX_LOOKED_BY_PROVIDER,
  type TaskLogFilter,
} from '../src/task/list-task-log.js';

const TASKS = 30_000;
const OLDEST = `gen_${'1'.padStart(22, '0')}`;
const FIRST_DAY = Date.UTC(2026, 10, 28);
const FIRST_REQUEST = newRequestId(FIRST_DAY);

let database: TestDatabase;
let session: pg.PoolClient;
let accountId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  session = await database.pool.connect();
  accountId = (await createTestAccount(database)).id;
  // A task a second; the oldest one alone is of another model, and failed.
  await session.query('SET session_replication_role = replica');
  await session.query(
    `INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs, image_urls,
       deadline_at, unit_micros, hold_micros, cost_micros, stored_count, status, phase, settled_attempt, error, failure, created_at,
       started_at, completed_at)
     SELECT 'gen_' || lpad(i::text, 22, '0'), $1, 'key_1', CASE i WHEN 1 THEN $4 ELSE 'req_' || i END, CASE i WHEN 1 THEN 'rare' ELSE 'usual' END, 'image_generate', 'x',
            '16:9', '1k', 1, '{}', at, 10000, 10000, CASE WHEN bad THEN 0 ELSE 10000 END, (NOT bad)::int,
            CASE WHEN bad THEN 'failed' ELSE 'completed' END, 'done', 0, CASE WHEN bad THEN 'x' END,
            CASE WHEN i = 1 THEN 'internal' WHEN bad THEN 'upstream' END, at, at, at
       FROM generate_series(1, $2::int) i
      CROSS JOIN LATERAL (SELECT $3::timestamptz + make_interval(secs => i) AS at, i % 3 = 1 AS bad) t`,
    [accountId, TASKS, new Date(FIRST_DAY), FIRST_REQUEST],
  );
  await session.query('SET session_replication_role = DEFAULT; ANALYZE');
});
afterAll(async () => {
  session.release(true);
  await database.close();
});

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Node[];
}

const flatten = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flatten)];
const toLiteral = (value: unknown): string =>
  value === null
    ? 'NULL'
    : session.escapeLiteral(typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Database that explains each statement in both kinds of plans before it runs it. */
function explain(nodes: Node[]): Pick<Database, 'run'> {
  let count = 0;
  return {
    run: async <Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> => {
      for (const mode of ['force_custom_plan', 'force_generic_plan']) {
        const name = `looked_at_${count++}`;
        await session.query(`SET plan_cache_mode = ${mode}; PREPARE ${name} AS ${statement.text}`);
        const { rows } = await session.query(
          `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE ${name}(${values.map(toLiteral).join(', ')})`,
        );
        nodes.push(...flatten(rows[0]['QUERY PLAN'][0].Plan as Node));
        await session.query(`DEALLOCATE ${name}`);
      }
      return database.db.run<Row>(statement, values);
    },
  };
}

/** Most rows of tasks that one step read; -1 when a step read all of them without an index. */
function countLooked(nodes: readonly Node[]): number {
  const reads = nodes.filter((node) => node['Relation Name'] === 'tasks');
  return reads.some((node) => node['Node Type'] === 'Seq Scan')
    ? -1
    : Math.max(0, ...reads.map((node) => node['Actual Rows'] * node['Actual Loops']));
}

test.each<[string, TaskLogFilter, number]>([
  ['no filter', {}, 60],
  ['failed ones', { status: 'failed' }, 200],
  ['a model that one task has', { model: 'rare' }, MAX_LOOKED],
  ['a provider that was never called', { provider: 'none' }, MAX_LOOKED_BY_PROVIDER],
  ['a reason that one task has', { failure: 'internal' }, MAX_LOOKED],
  [
    'a span of an hour',
    { from: new Date(FIRST_DAY), to: new Date(FIRST_DAY + 3_600_000), model: 'none' },
    3_600,
  ],
])(
  'a part of the log reads tasks by an index and in bounds, with and without an account: %s',
  async (_what, filter, most) => {
    for (const whose of [{}, { accountId }]) {
      const nodes: Node[] = [];
      const { items, looked, next } = await listTaskLog(explain(nodes), { ...filter, ...whose, limit: 50 });
      const read = countLooked(nodes);
      expect([whose, read >= 0 && read <= most + 1]).toEqual([whose, true]);
      if (items.length === 0 && filter.from === undefined) {
        expect([looked === null, next === null]).toEqual([read < most, read < most]);
      }
    }
  },
);

test.each([
  ['all accounts', {}, 3],
  ['one account', { accountId: '' }, 3],
])('parts without a fitting task lead on to the one that fits: %s', async (_what, whose, parts) => {
  const filter = { model: 'rare', limit: 50, ...('accountId' in whose && { accountId }) };
  let part = await listTaskLog(database.db, filter);
  let read = 1;
  for (; part.next !== null && part.items.length === 0; read++) {
    expect(part.looked).toBe(MAX_LOOKED);
    const [time = '', ...id] = part.next.split('_');
    part = await listTaskLog(database.db, { ...filter, after: { time, id: id.join('_') } });
  }
  expect([read, part.items.map(({ id }) => id)]).toEqual([parts, [OLDEST]]);
});

test('a search reads tasks by an index and in bounds', async () => {
  for (const text of [OLDEST, 'gen_nothing', 'a@b.example', 'invoice 7']) {
    const nodes: Node[] = [];
    await search(explain(nodes), text);
    const looks = nodes.filter(
      (node) => node['Node Type'] === 'Seq Scan' && node['Actual Rows'] * node['Actual Loops'] > 1_000,
    );
    expect([text, looks]).toEqual([text, []]);
  }
});

test("a search finds the tasks of a request by the time in its id, however old; a client's own id among the newest 20,000", async () => {
  const find = async (text: string) => {
    const { items, looked } = await search(database.db, text);
    return [items.map(({ task_id: id }) => id), looked];
  };
  const gen = (i: number): string => `gen_${String(i).padStart(22, '0')}`;
  expect(await find(FIRST_REQUEST)).toEqual([[OLDEST], null]);
  expect(await find(newRequestId(FIRST_DAY))).toEqual([[], null]);
  expect(await find('req_10001')).toEqual([[gen(10_001)], null]);
  expect(await find('req_10000')).toEqual([[], 20_000]);
});
