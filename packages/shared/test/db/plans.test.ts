import { settleTask } from '@image-gateway/shared/billing';
import {
  addOutput,
  type CallRow,
  claimTask,
  claimTasksOutOfTries,
  type Database,
  extendLease,
  releaseTask,
  type Statement,
  startCall,
} from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { batchStatements } from '../../src/domain/db/batch-statements.js';

type Captured = readonly [Statement, readonly unknown[]];

let database: TestDatabase;
let session: pg.PoolClient;

async function open(): Promise<TestAccount> {
  database = await createTestDatabase();
  session = await database.pool.connect();
  await session.query('ALTER TABLE tasks SET (autovacuum_enabled = false)');
  return createTestAccount(database);
}
async function insert(account: TestAccount, status: 'failed' | 'pending', count: number): Promise<void> {
  const end = status === 'failed' ? "'done', 0, 'x', now(), now()" : "'queued', NULL, NULL, NULL, NULL";
  await session.query(
    `INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs,
       image_urls, deadline_at, unit_micros, hold_micros, status, phase, settled_attempt, error, started_at, completed_at)
     SELECT 'gen_${status}' || lpad(i::text, 12, '0'), $1, $2, 'req', 'nanobanana', 'image_generate', 'x', '16:9', '1k', 1,
       '{}', now() + interval '1 hour', 10000, 10000, '${status}', ${end}
     FROM generate_series(1, $3::int) i`,
    [account.id, account.apiKeyId, count],
  );
}
afterEach(() => session.query('DEALLOCATE ALL'));
async function close(): Promise<void> {
  session.release();
  await database.close();
}

/** The statements that `act` sends: for one caller, and for two that come together. A task to settle is found, so that its end follows. */
async function captureStatements(
  act: (db: Pick<Database, 'run'>, id: string) => Promise<unknown>,
): Promise<Captured[]> {
  const captured: Captured[] = [];
  const run = async <Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> => {
    captured.push([statement, values]);
    if (!/^(read-to-settle|settle-task)$/.test(statement.name)) {
      return [];
    }
    const inputs = JSON.parse(String(values[0])) as { id: string }[];
    return inputs.map(({ id }, i) => ({ ...FOUND, id, place: BigInt(i + 1) }) as Row);
  };
  const db = { run: batchStatements(run) };
  await act(db, 'gen_pending000000000001');
  await Promise.all(['gen_pending000000000002', 'gen_pending000000000003'].map((id) => act(db, id)));
  return captured;
}

/** The ways by which a statement comes to the rows of `tasks`, whatever its values are taken for. */
async function waysToTasks([{ text }, values]: Captured): Promise<string[]> {
  const ways: string[] = [];
  const collect = (node: Record<string, unknown>): void => {
    if (node['Relation Name'] === 'tasks' && String(node['Node Type']).endsWith('Scan')) {
      ways.push(String(node['Index Name'] ?? node['Node Type']));
    }
    const index = String(node['Index Name']);
    if (node['Node Type'] === 'Bitmap Index Scan' && index.startsWith('tasks_')) {
      ways.push(index);
    }
    for (const child of (node.Plans ?? []) as Record<string, unknown>[]) {
      collect(child);
    }
  };
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await session.query(`SET plan_cache_mode = ${mode}`);
    await session.query(`PREPARE looked_at AS ${text}`);
    const list = values.map((value) => session.escapeLiteral(forSql(value))).join(', ');
    const { rows } = await session.query(
      `EXPLAIN (FORMAT JSON) EXECUTE looked_at(${list})`.replaceAll("'NULL'", 'NULL'),
    );
    collect(rows[0]['QUERY PLAN'][0].Plan);
    await session.query('DEALLOCATE looked_at');
  }
  return ways;
}

function forSql(value: unknown): string {
  if (value === null) {
    return 'NULL';
  }
  return Array.isArray(value) ? `{${value.join(',')}}` : String(value);
}

const call = (id: string): CallRow => ({
  id: `call_${id}`,
  attempt: 1,
  provider: 'sandbox',
  model: 'm',
  slots: [0],
  requestId: null,
  jobHandle: null,
  createdAt: new Date(),
  keyFingerprint: null,
  state: 'started',
  detail: null,
  costMicros: 1n,
});
const output = (id: string) => ({
  index: 0,
  slot: 0,
  key: `images/${id}/0.png`,
  contentType: 'image/png',
  bytes: 353,
  width: 64,
  height: 36,
  sha256: 'x',
});

/** Columns of a task that is read to be settled, and of its end. */
const FOUND = {
  accountId: 'acc_1',
  storedCount: 0,
  unitMicros: 1n,
  startedAt: null,
  endsAt: new Date(),
  webhookUrl: null,
  settled: true,
  locked: true,
};
const settle = (db: Pick<Database, 'run'>, taskId: string) =>
  settleTask({ db, newId, fileUrl: 'http://files' }, { taskId, attempt: 1, reason: 'x' });

type Act = (db: Pick<Database, 'run'>, id: string) => Promise<unknown>;
const ACTS: readonly [string, Act][] = [
  ['claim', (db, id) => claimTask(db, { workerId: 'w', leaseMs: 30_000, maxTries: 3 }, id)],
  ['lease', (db, taskId) => extendLease(db, { taskId, attempt: 1, leaseMs: 30_000 })],
  ['start of a call', (db, taskId) => startCall(db, { taskId, knownCalls: 0 }, call(taskId))],
  ['output', (db, taskId) => addOutput(db, { taskId, attempt: 1 }, output(taskId))],
  ['release', (db, taskId) => releaseTask(db, { taskId, attempt: 1, delayMs: 0, usesTry: false })],
  ['settlement', settle],
];

describe('a task is looked up by its id, however few were open at the last ANALYZE', () => {
  /** Finished tasks that PostgreSQL has statistics of, and a backlog that came since then. */
  beforeAll(async () => {
    const account = await open();
    await insert(account, 'failed', 5_000);
    await session.query('ANALYZE tasks');
    await insert(account, 'pending', 3_000);
  });
  afterAll(close);

  test('tasks without a try left are found among those that were tried, and not among all that wait', async () => {
    const [sweep] = await captureStatements((db) =>
      claimTasksOutOfTries(db, { limit: 200, leaseMs: 0, maxTries: 3 }),
    );
    const ways = new Set(sweep && (await waysToTasks(sweep)));
    expect([ways.has('tasks_tried'), ways.has('tasks_due')]).toEqual([true, false]);
  });

  test.each(ACTS)('%s', async (_what, act) => {
    const captured = await captureStatements(act);
    expect(captured.length).toBeGreaterThan(0);
    for (const one of captured) {
      expect([one[0].name, new Set(await waysToTasks(one))]).toEqual([one[0].name, new Set(['tasks_pkey'])]);
    }
  });
});

describe('the first tasks of a gateway', () => {
  let account: TestAccount;
  /** A few tasks of one account, without statistics; plans that are made now are kept until the first ANALYZE. */
  beforeAll(async () => {
    account = await open();
    await insert(account, 'failed', 100);
    await insert(account, 'pending', 300);
  });
  afterAll(close);

  test.each(ACTS)(
    'the first tasks of a gateway: a task is never looked up among all of its account: %s',
    async (_what, act) => {
      for (const one of await captureStatements(act)) {
        const ways = (await waysToTasks(one)).filter((way) => /^tasks_(?!pkey$)/.test(way));
        expect([one[0].name, ways]).toEqual([one[0].name, []]);
      }
    },
  );

  test('the first tasks of a gateway: what is counted at their ends reads no other task', async () => {
    const { id, apiKeyId } = account;
    const endAll = async (first: number, last: number): Promise<void> => {
      const tasks = `(SELECT i, 'gen_pending' || lpad(i::text, 12, '0') AS task FROM generate_series(${first}, ${last}) i) t`;
      await session.query(`INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros)
        SELECT 'call_' || i, task, 1, 'sandbox', 'm', 1, '{0}', 'started', 0 FROM ${tasks}`);
      await session.query(
        `UPDATE provider_calls SET state = 'succeeded', finished_at = now() WHERE state = 'started'`,
      );
      await session.query(
        `INSERT INTO usage_records (id, task_id, account_id, api_key_id, model, type, units, cost_micros)
         SELECT 'use_' || i, task, $1, $2, 'nanobanana', 'image_generate', 1, 10000 FROM ${tasks}`,
        [id, apiKeyId],
      );
      await session.query(
        `INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, next_attempt_at)
         SELECT 'msg_' || i, task, $1, 'http://a', 'a:80', '{}', now() FROM ${tasks}`,
        [id],
      );
      await session.query(
        `UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL WHERE state = 'pending'`,
      );
    };
    const scans = async (): Promise<number> => {
      const counts = `SELECT seq_scan::int AS scans FROM pg_stat_xact_user_tables WHERE relname = 'tasks'`;
      return (await session.query<{ scans: number }>(counts)).rows[0]?.scans ?? 0;
    };
    await session.query('BEGIN');
    const before = await scans();
    await endAll(1, 30);
    await endAll(31, 100);
    expect((await scans()) - before).toBe(0);
    await session.query('ROLLBACK');
  });
});
