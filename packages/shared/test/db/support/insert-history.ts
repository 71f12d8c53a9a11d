import type { TestAccount, TestDatabase } from '@image-gateway/testing';

/** Task of a history, created and ended so many milliseconds after `HISTORY_START`. */
export interface HistoryTask {
  readonly id: string;
  readonly createdMs: number;
  readonly status: 'pending' | 'completed' | 'failed';
  readonly model: string;
  readonly type: string;
}

/** Time from which histories are counted. */
export const HISTORY_START = Date.UTC(2026, 0, 1);

/** Inserts tasks at times of the test's choice by one statement, with everything that the books ask for. A completed task costs a cent. */
export async function insertHistory(
  { pool }: TestDatabase,
  account: TestAccount,
  tasks: readonly HistoryTask[],
): Promise<void> {
  const asked = tasks.map((task) => ({ ...task, at: new Date(HISTORY_START + task.createdMs) }));
  await pool.query(
    `WITH asked AS (
       SELECT *, status = 'completed' AS done FROM json_to_recordset($3::json) AS a(id text, at timestamptz, status text, model text, type text)),
     task AS (
       INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs, image_urls,
         deadline_at, unit_micros, hold_micros, cost_micros, stored_count, status, phase, settled_attempt, error, created_at, started_at, completed_at)
       SELECT id, $1, $2, 'req', model, type, 'x', '16:9', '1k', 1, '{}', at, 10000, 10000, CASE WHEN done THEN 10000 ELSE 0 END,
         done::int, status, CASE status WHEN 'pending' THEN 'queued' ELSE 'done' END, CASE WHEN status <> 'pending' THEN 0 END,
         CASE status WHEN 'failed' THEN 'x' END, at, at, CASE WHEN status <> 'pending' THEN at END FROM asked),
     output AS (
       INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
       SELECT id, 0, 0, 'images/' || id || '/0.png', 'image/png', 1, 1, 1, 'x' FROM asked WHERE done),
     capture AS (
       INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, task_id, created_at)
       SELECT 'led_' || id, 'capture', 'cust:' || $1, 'revenue', 10000, $1, id, at FROM asked WHERE done),
     usage AS (
       INSERT INTO usage_records (id, task_id, account_id, api_key_id, model, type, units, cost_micros, created_at)
       SELECT 'use_' || id, id, $1, $2, model, type, 1, 10000, at FROM asked WHERE done),
     daily AS (
       INSERT INTO usage_daily AS d (account_id, api_key_id, model, day, units, cost_micros, requests)
       SELECT $1, $2, model, (at AT TIME ZONE 'UTC')::date, count(*), count(*) * 10000, count(*) FROM asked WHERE done GROUP BY 3, 4
       ON CONFLICT (account_id, day, model, api_key_id) DO UPDATE
          SET units = d.units + EXCLUDED.units, cost_micros = d.cost_micros + EXCLUDED.cost_micros, requests = d.requests + EXCLUDED.requests)
     UPDATE accounts SET task_count = task_count + s.tasks, usage_count = usage_count + s.done, open_count = open_count + s.open,
            balance_micros = balance_micros - 10000 * s.done, held_micros = held_micros + 10000 * s.open
       FROM (SELECT count(*) AS tasks, count(*) FILTER (WHERE done) AS done, count(*) FILTER (WHERE status = 'pending') AS open FROM asked) s
      WHERE id = $1`,
    [account.id, account.apiKeyId, JSON.stringify(asked)],
  );
}

/** Lets the buckets of counters hold so many rows before the next one begins. */
export async function setBucketSize({ pool }: TestDatabase, rows: number): Promise<void> {
  await pool.query(
    `CREATE OR REPLACE FUNCTION list_bucket_size() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT ${rows}::bigint'`,
  );
}
