import type { Database } from '@image-gateway/shared/db';
import {
  createTestAccount,
  createTestDatabase,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sumProviderCalls } from '../src/provider/sum-provider-calls.js';
import { findQueues } from '../src/system/find-queues.js';
import { findStatus } from '../src/system/find-status.js';
import { findSystem } from '../src/system/find-system.js';
import { listOpenTasks } from '../src/task/list-open-tasks.js';

const MANY = 40_000;
const inspector = { look: () => Promise.resolve(null) };

let database: TestDatabase;
let account: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
});
afterAll(() => database.close());

const insertTasks = (end: string, dueAt: string) =>
  `INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs, image_urls,
     deadline_at, unit_micros, hold_micros, due_at, webhook_url, status, phase, settled_attempt, error, started_at, completed_at)
   SELECT 'gen_' || $3 || i, $1, $2, 'req', 'nanobanana', 'image_generate', 'x', '16:9', '1k', 1, '{}',
     now() + interval '1 hour', 10000, 10000, ${dueAt}, 'http://x/', ${end} FROM generate_series(1, $4::int) i`;

/** Adds failed tasks, each with a webhook that was given up; and open ones that are due later. */
async function addHistory(label: string, count: number): Promise<void> {
  const { pool } = database;
  const who = [account.id, account.apiKeyId];
  const failed = "'failed', 'done', 0, 'x', now(), now()";
  await pool.query(insertTasks(failed, 'now()'), [...who, `failed${label}`, count]);
  await pool.query(
    `INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, next_attempt_at, state)
     SELECT 'msg_' || $2 || i, 'gen_failed' || $2 || i, $1, 'http://x/', 'x:80', '{}', NULL, 'failed' FROM generate_series(1, $3::int) i`,
    [account.id, label, count],
  );
  await addOpen(label, count, "now() + interval '30 minutes'");
  await pool.query(
    `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, created_at, finished_at)
     SELECT 'call_' || $1 || i, 'gen_failed' || $1 || i, 1, 'gemini', 'm', 1, '{0}', CASE WHEN i % 10 = 0 THEN 'failed' ELSE 'succeeded' END,
            500, now() - make_interval(secs => i % 600), now() FROM generate_series(1, $2::int) i`,
    [label, count],
  );
  await pool.query('SELECT recount()');
}

async function addOpen(label: string, count: number, dueAt: string): Promise<void> {
  const open = "'pending', 'queued', NULL, NULL, NULL, NULL";
  const values = [account.id, account.apiKeyId, `open${label}`, count];
  await database.pool.query(insertTasks(open, dueAt), values);
  await database.pool.query('UPDATE accounts SET open_count = open_count + $2 WHERE id = $1', [
    account.id,
    count,
  ]);
}

/** Reads the data of the operators' pages, and counts the pages of the database that each statement read. */
async function readAll() {
  const pages: Record<string, number> = {};
  const db: Pick<Database, 'run'> = {
    run: async (statement, values) => {
      const { rows } = await database.pool.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
        `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${statement.text}`,
        [...values],
      );
      const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {};
      pages[statement.name] = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      return database.db.run(statement, values);
    },
  };
  const system = await findSystem(db, { allBytes: 1 });
  const queues = await findQueues({ db, inspector });
  const open = await listOpenTasks(db, { onlyStuck: false, limit: 20 });
  const stuck = await listOpenTasks(db, { onlyStuck: true, limit: 20 });
  const status = await findStatus(db, 'month');
  const { providers } = await sumProviderCalls(db, { withinMs: 24 * 3_600_000 });
  return { pages, system, queues, open, stuck, status, providers };
}

test('pages of operators read as little with 40,000 failed and as many open tasks as with ten', async () => {
  await addOpen('stuck', 3, "now() - interval '1 minute'");
  await addHistory('few', 10);
  const few = await readAll();
  await addHistory('many', MANY);
  await database.pool.query('VACUUM ANALYZE accounts, tasks, webhook_deliveries, task_hours, provider_calls');
  const many = await readAll();
  expect(many.system).toMatchObject({
    open_tasks: MANY + 13,
    stuck_tasks: 3,
    failed_today: MANY + 10,
    webhooks_failed_today: MANY + 10,
  });
  expect(many.queues).toMatchObject([
    { name: 'generation', due: 3, later: MANY + 10, running: 0 },
    { name: 'webhook', due: 0, later: 0, running: 0 },
  ]);
  expect(many.status.whole).toMatchObject({ failed: MANY + 10, cost: '$20.0050' });
  expect(many.providers).toMatchObject([{ calls: MANY + 10, failed: MANY / 10 + 1 }]);
  expect([many.open.length, many.stuck.length]).toEqual([20, 3]);
  for (const [name, pages] of Object.entries(many.pages)) {
    expect([name, pages]).toEqual([name, Math.min(pages, 3 * (few.pages[name] ?? 0) + 60)]);
  }
}, 180_000);
