import { type Statement, TASK_COLUMNS } from '../db/index.js';

/** The task as it stands, and the moment at which it may end: never before it was made or begun. */
export const READ_TO_SETTLE: Statement = {
  name: 'read-to-settle',
  text: `
SELECT ${TASK_COLUMNS}, GREATEST(now()::timestamptz(3), t.created_at, t.started_at) AS "endsAt"
  FROM tasks t WHERE t.id = $1 AND t.status = 'pending' AND t.attempt = $2`,
};

/**
 * Everything that happens when a task ends, or nothing: state, charge, release, ledger, usage, roll-up, webhook, and the
 * later look at its objects. Fenced by the attempt and by the number of stored images that cost and body were made from.
 */
export const SETTLE_TASK: Statement = {
  name: 'settle-task',
  text: `
WITH task AS (
  UPDATE tasks SET status = $4, phase = 'done', settled_attempt = $2, cost_micros = $5::bigint, error = $6,
                   started_at = COALESCE(started_at, $7::timestamptz), completed_at = $7::timestamptz, lease_until = NULL
   WHERE id = $1 AND status = 'pending' AND attempt = $2 AND stored_count = $3::int
  RETURNING id, account_id, api_key_id, model, type, status, attempt, stored_count, num_outputs, hold_micros, cost_micros,
            webhook_url, completed_at),
account AS (
  UPDATE accounts a
     SET balance_micros = a.balance_micros - task.cost_micros, held_micros = a.held_micros - task.hold_micros,
         open_count = a.open_count - 1,
         usage_count = a.usage_count + CASE task.status WHEN 'completed' THEN 1 ELSE 0 END
    FROM task WHERE a.id = task.account_id),
transfer AS (
  INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, task_id, created_at)
  SELECT $8, 'capture', 'cust:' || account_id, 'revenue', cost_micros, account_id, id, completed_at
    FROM task WHERE status = 'completed'),
usage AS (
  INSERT INTO usage_records (id, task_id, account_id, api_key_id, model, type, units, cost_micros, created_at)
  SELECT $9, id, account_id, api_key_id, model, type, stored_count, cost_micros, completed_at
    FROM task WHERE status = 'completed'),
daily AS (
  INSERT INTO usage_daily AS d (account_id, api_key_id, model, day, units, cost_micros, requests)
  SELECT account_id, api_key_id, model, (completed_at AT TIME ZONE 'UTC')::date, stored_count, cost_micros, 1
    FROM task WHERE status = 'completed'
  ON CONFLICT (account_id, day, model, api_key_id) DO UPDATE
     SET units = d.units + EXCLUDED.units, cost_micros = d.cost_micros + EXCLUDED.cost_micros,
         requests = d.requests + EXCLUDED.requests),
delivery AS (
  INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, next_attempt_at)
  SELECT $10, id, account_id, webhook_url, $11, $12, now() FROM task WHERE webhook_url IS NOT NULL),
orphans AS (
  -- A task that ended at once with all its images can have left nothing else in the bucket.
  INSERT INTO orphan_checks (task_id)
  SELECT id FROM task WHERE status = 'failed' OR attempt > 1 OR stored_count < num_outputs)
SELECT id FROM task`,
};
