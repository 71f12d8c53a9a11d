import { askedAs, type Statement, TASK_COLUMNS } from '../db/index.js';

const ENDS_AT = 'GREATEST(now()::timestamptz(3), t.created_at, t.started_at) AS "endsAt"';

/** The task as it stands, and the moment at which it may end: never before it was made or begun. */
export const READ_TO_SETTLE: Statement = {
  name: 'read-to-settle',
  text: `
SELECT ${TASK_COLUMNS}, ${ENDS_AT} FROM tasks t WHERE t.id = $1 AND t.status = 'pending' AND t.attempt = $2`,
  many: {
    name: 'read-many-to-settle',
    fields: ['id', 'attempt'],
    distinct: 'id',
    text: `
WITH ${askedAs('id text, attempt int')}
SELECT ${TASK_COLUMNS}, ${ENDS_AT}, a.place
  FROM asked a JOIN tasks t ON t.id = a.id AND t.id = ANY (ARRAY(SELECT id FROM asked)) AND t.status = 'pending' AND t.attempt = a.attempt`,
  },
};

/**
 * Everything that happens when tasks end, or nothing: state, charge, release, ledger, usage, roll-up, webhook, and the
 * later look at their objects. Each is fenced by its attempt and by the number of stored images that cost and body were
 * made from. The accounts are locked first and in the order of ids, as when tasks are inserted, so that no two of these
 * statements wait for each other. The caller is told for each task whether it ended, and whether its account could be
 * locked at all.
 */
const settleTasks = (name: string, locking: string): Statement => ({
  name,
  text: `
WITH ${askedAs(
    'id text, account text, attempt int, stored int, status text, cost int8, error text, ends timestamptz, transfer text, usage text, delivery text, host text, body text',
  )},
locked AS MATERIALIZED (
  SELECT id FROM accounts WHERE id = ANY (ARRAY(SELECT account FROM asked)) ORDER BY id FOR NO KEY UPDATE ${locking}),
task AS (
  UPDATE tasks t SET status = a.status, phase = 'done', settled_attempt = a.attempt, cost_micros = a.cost, error = a.error,
                     started_at = COALESCE(t.started_at, a.ends), completed_at = a.ends, lease_until = NULL
    FROM asked a JOIN locked l ON l.id = a.account
   WHERE t.id = a.id AND t.id = ANY (ARRAY(SELECT id FROM asked)) AND t.account_id = a.account AND t.status = 'pending' AND t.attempt = a.attempt
     AND t.stored_count = a.stored
  RETURNING t.id, t.account_id, t.api_key_id, t.model, t.type, t.status, t.attempt, t.stored_count, t.num_outputs,
            t.hold_micros, t.cost_micros, t.webhook_url, t.completed_at),
account AS (
  UPDATE accounts c
     SET balance_micros = c.balance_micros - s.cost, held_micros = c.held_micros - s.hold,
         open_count = c.open_count - s.tasks, usage_count = c.usage_count + s.completed
    FROM (SELECT account_id, sum(cost_micros)::int8 AS cost, sum(hold_micros)::int8 AS hold, count(*)::int AS tasks,
                 count(*) FILTER (WHERE status = 'completed') AS completed
            FROM task GROUP BY account_id) s
   WHERE c.id = s.account_id AND c.id = ANY (ARRAY(SELECT account_id FROM task))),
transfer AS (
  INSERT INTO ledger_transfers (id, kind, debit_account, credit_account, amount_micros, account_id, task_id, created_at)
  SELECT a.transfer, 'capture', 'cust:' || t.account_id, 'revenue', t.cost_micros, t.account_id, t.id, t.completed_at
    FROM task t JOIN asked a ON a.id = t.id WHERE t.status = 'completed'),
usage AS (
  INSERT INTO usage_records (id, task_id, account_id, api_key_id, model, type, units, cost_micros, created_at)
  SELECT a.usage, t.id, t.account_id, t.api_key_id, t.model, t.type, t.stored_count, t.cost_micros, t.completed_at
    FROM task t JOIN asked a ON a.id = t.id WHERE t.status = 'completed'),
daily AS (
  INSERT INTO usage_daily AS d (account_id, api_key_id, model, day, units, cost_micros, requests)
  SELECT account_id, api_key_id, model, (completed_at AT TIME ZONE 'UTC')::date, sum(stored_count), sum(cost_micros), count(*)
    FROM task WHERE status = 'completed' GROUP BY 1, 2, 3, 4
  ON CONFLICT (account_id, day, model, api_key_id) DO UPDATE
     SET units = d.units + EXCLUDED.units, cost_micros = d.cost_micros + EXCLUDED.cost_micros,
         requests = d.requests + EXCLUDED.requests),
delivery AS (
  INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, next_attempt_at)
  SELECT a.delivery, t.id, t.account_id, t.webhook_url, a.host, a.body, now()
    FROM task t JOIN asked a ON a.id = t.id WHERE t.webhook_url IS NOT NULL),
orphans AS (
  -- A task that ended at once with all its images can have left nothing else in the bucket.
  INSERT INTO orphan_checks (task_id)
  SELECT id FROM task WHERE status = 'failed' OR attempt > 1 OR stored_count < num_outputs)
SELECT t.id IS NOT NULL AS settled, l.id IS NOT NULL AS locked
  FROM asked a LEFT JOIN locked l ON l.id = a.account LEFT JOIN task t ON t.id = a.id ORDER BY a.place`,
});

/** Leaves out the tasks of accounts that somebody else holds at the moment: never waits for an account. */
export const SETTLE_TASKS: Statement = settleTasks('settle-task', 'SKIP LOCKED');

/** Waits for the accounts. */
export const SETTLE_TASKS_WAITING: Statement = settleTasks('settle-task-waiting', '');
