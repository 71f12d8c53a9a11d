import type pg from 'pg';
import type { SeededAccount } from './seed-accounts.js';

const CHUNK = 100_000;
/** The history lies in the last so many days. */
const DAYS = 90;

// A task in ten belongs to the first account, the others are spread over the rest. Everything that a finished task leaves
// behind is there, booked and counted as the product would.
const TASKS = `
INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs, image_urls,
                   status, phase, attempt, settled_attempt, stored_count, call_count, deadline_at, unit_micros, hold_micros,
                   cost_micros, due_at, created_at, started_at, completed_at)
SELECT 'gen_h' || lpad(i::text, 21, '0'), a.id, a.key, 'req', 'nanobanana', 'image_generate', 'a red fox in the snow, at dawn',
       '16:9', '1k', 1, '{}', 'completed', 'done', 1, 1, 1, 1, at + interval '15 minutes', 10000, 10000, 10000, at, at, at, at
  FROM generate_series($1::int8, $2::int8) AS i
  CROSS JOIN LATERAL (SELECT date_trunc('milliseconds', now() - make_interval(secs => (i * 7919 % ($4 * 864000)) / 10.0)) AS at) t
  JOIN (SELECT id, key, place FROM unnest($5::text[], $6::text[]) WITH ORDINALITY AS u(id, key, place)) a
    ON a.place = CASE WHEN i % 10 = 0 THEN 1 ELSE 2 + i % ($3 - 1) END`;
const REST = [
  `INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256, created_at)
   SELECT id, 0, 0, 'images/' || id || '/0.png', 'image/png', 353, 64, 36, repeat('0', 64), completed_at FROM tasks WHERE id BETWEEN $1 AND $2`,
  `INSERT INTO usage_records (id, task_id, account_id, api_key_id, model, type, units, cost_micros, created_at)
   SELECT 'use' || substr(id, 4), id, account_id, api_key_id, model, type, 1, cost_micros, completed_at FROM tasks WHERE id BETWEEN $1 AND $2`,
  `INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, task_id, created_at)
   SELECT 'led' || substr(id, 4), 'capture', 'cust:' || account_id, 'revenue', cost_micros, account_id, id, completed_at FROM tasks WHERE id BETWEEN $1 AND $2`,
  `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state, cost_micros, created_at, finished_at)
   SELECT 'call' || substr(id, 4), id, 1, 'sandbox', 'sandbox', 1, '{0}', 'succeeded', 0, created_at, completed_at FROM tasks WHERE id BETWEEN $1 AND $2`,
  `INSERT INTO usage_daily AS d (account_id, api_key_id, model, day, units, cost_micros, requests)
   SELECT account_id, api_key_id, model, (completed_at AT TIME ZONE 'UTC')::date, count(*), sum(cost_micros), count(*)
     FROM tasks WHERE id BETWEEN $1 AND $2 GROUP BY 1, 2, 3, 4
   ON CONFLICT (account_id, day, model, api_key_id) DO UPDATE
      SET units = d.units + EXCLUDED.units, cost_micros = d.cost_micros + EXCLUDED.cost_micros, requests = d.requests + EXCLUDED.requests`,
  `UPDATE accounts a SET task_count = task_count + n, usage_count = usage_count + n, balance_micros = balance_micros - 10000 * n
     FROM (SELECT account_id, count(*) AS n FROM tasks WHERE id BETWEEN $1 AND $2 GROUP BY 1) s WHERE s.account_id = a.id`,
];

const makeId = (n: number): string => `gen_h${String(n).padStart(21, '0')}`;

/** Writes so many finished tasks, a tenth of them the first account's, and lets PostgreSQL look at them. */
export async function fillHistory(
  pool: pg.Pool,
  accounts: readonly SeededAccount[],
  count: number,
): Promise<void> {
  const client = await pool.connect();
  try {
    // References and rules are right by construction, and checking ten million of them takes hours.
    await client.query(
      "SET session_replication_role = replica; SET synchronous_commit = off; SET statement_timeout = 0; SET timezone = 'UTC'",
    );
    const ids = accounts.map(({ id }) => id);
    const keys = accounts.map(({ apiKeyId }) => apiKeyId);
    const indexes = await dropIndexes(client);
    for (let first = 1; first <= count; first += CHUNK) {
      const last = Math.min(count, first + CHUNK - 1);
      await client.query(TASKS, [first, last, accounts.length, DAYS, ids, keys]);
      for (const text of REST) {
        await client.query(text, [makeId(first), makeId(last)]);
      }
    }
    await client.query("SET maintenance_work_mem = '512MB'");
    for (const definition of indexes) {
      await client.query(definition);
    }
    // Triggers did not count these rows.
    await client.query('SELECT recount_lists(), recount_key_spend(), recount_hours()');
    await client.query('VACUUM ANALYZE');
  } finally {
    client.release(true);
  }
}

/** Drops the indexes that no rule needs and gives their definitions: to build each at the end takes a third of the time. */
async function dropIndexes(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
       FROM pg_index JOIN pg_class c ON c.oid = indrelid
      WHERE c.relname IN ('tasks', 'task_outputs', 'usage_records', 'ledger_transfers', 'provider_calls') AND NOT indisunique`,
  );
  for (const { name } of rows) {
    await client.query(`DROP INDEX ${name}`);
  }
  return rows.map(({ definition }) => definition);
}

/** Ids of finished tasks of one account, spread over its history. */
export async function findSomeTasks(pool: pg.Pool, accountId: string, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM (SELECT id FROM tasks WHERE account_id = $1 ORDER BY created_at DESC LIMIT 20000) t ORDER BY md5(id) LIMIT $2',
    [accountId, count],
  );
  return rows.map(({ id }) => id);
}
