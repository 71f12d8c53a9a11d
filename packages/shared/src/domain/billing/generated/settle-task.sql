-- Written from settle-task.sql by pnpm db:statements.
-- Writes the end of tasks, or nothing: state, charge, release, ledger, usage, roll-up, webhook, orphan check, and the audit entry of a
-- manual end. The last image and the outcome of its call too, where they are left to it. Each task is fenced by its attempt and by the
-- number of stored images from which cost and body were computed. Accounts are locked first and in the order of ids, as when tasks are
-- inserted, so that two such statements never deadlock. The comparison of accounts is one that uses no index. Without statistics
-- PostgreSQL would look for a task among all of its account. The caller learns for each task whether it ended, and whether its account
-- could be locked at all.
WITH input AS (
  SELECT *,
         ordinality AS place
    FROM ROWS FROM (json_to_recordset($1::json) AS (
           slot int,
           key text,
           type text,
           bytes int,
           width int,
           height int,
           sha256 text,
           drawn_seed int8,
           drawn_quality text,
           revised_prompt text,
           call text,
           outcome text,
           failure text,
           spent int8,
           upstream text,
           id text,
           account text,
           attempt int,
           stored int,
           status text,
           cost int8,
           error text,
           class text,
           ends timestamptz,
           transfer text,
           usage text,
           delivery text,
           host text,
           body text,
           clean boolean,
           audit text,
           detail jsonb,
           calls int
         )) WITH ORDINALITY
),

locked AS MATERIALIZED (
  SELECT id
    FROM accounts
   WHERE id = ANY (ARRAY(SELECT account FROM input))
   ORDER BY id
   FOR NO KEY UPDATE SKIP LOCKED
),

task AS (
  UPDATE tasks t
     SET status = i.status,
         phase = 'done',
         settled_attempt = i.attempt,
         cost_micros = i.cost,
         error = i.error,
         failure = i.class,
         started_at = COALESCE(t.started_at, i.ends),
         completed_at = i.ends,
         lease_until = NULL,
         stored_count = i.stored + (i.key IS NOT NULL)::int
    FROM input i
    JOIN locked l ON l.id = i.account
   WHERE t.id = i.id AND t.id = ANY (ARRAY(SELECT id FROM input))
         AND t.status = 'pending' AND t.attempt = i.attempt
     AND t.account_id IS NOT DISTINCT FROM i.account
     AND t.stored_count = i.stored
     AND (i.calls IS NULL OR t.call_count = i.calls)
  RETURNING t.id,
            t.account_id,
            t.api_key_id,
            t.model,
            t.type,
            t.status,
            t.attempt,
            t.stored_count,
            t.num_outputs,
            t.tidy_attempt,
            t.hold_micros,
            t.cost_micros,
            t.webhook_url,
            t.cap_value,
            (t.created_at AT TIME ZONE 'UTC')::date AS submit_day,
            t.completed_at,
            t.metadata
),

-- The last image, where the attempt has left it to this statement.
output AS (
  INSERT INTO task_outputs (
         task_id,
         index,
         slot,
         key,
         content_type,
         bytes,
         width,
         height,
         sha256,
         seed,
         quality,
         revised_prompt)
  SELECT t.id,
         i.stored,
         i.slot,
         i.key,
         i.type,
         i.bytes,
         i.width,
         i.height,
         i.sha256,
         i.drawn_seed,
         i.drawn_quality,
         i.revised_prompt
    FROM task t
    JOIN input i ON i.id = t.id
   WHERE i.key IS NOT NULL
),

-- Also where the attempt was overtaken. After the tasks, so that all such statements lock the counts of both in one order.
call AS (
  UPDATE provider_calls c
     SET state = i.outcome,
         detail = i.failure,
         cost_micros = i.spent,
         finished_at = now(),
         provider_request_id = COALESCE(c.provider_request_id, i.upstream),
         job_handle = CASE WHEN c.job_handle IS NULL
                             OR EXISTS (SELECT FROM tasks t WHERE t.id = c.task_id AND t.erased_at IS NOT NULL) THEN NULL
                           ELSE c.job_handle
                      END
    FROM input i JOIN locked l ON l.id = i.account AND (SELECT count(*) FROM task) >= 0
   WHERE c.id = i.call AND c.id = ANY (ARRAY(SELECT call FROM input))
     AND (c.state IN ('started', 'submitted') OR c.state IN ('cut', 'unknown') AND i.outcome NOT IN ('cut', 'unknown'))
),

account AS (
  UPDATE accounts c
     SET balance_micros = c.balance_micros - s.cost,
         held_micros = c.held_micros - s.hold,
         open_count = c.open_count - s.tasks,
         usage_count = c.usage_count + s.completed
    FROM (SELECT account_id,
                 sum(cost_micros)::int8 AS cost,
                 sum(hold_micros)::int8 AS hold,
                 count(*)::int AS tasks,
                 count(*) FILTER (WHERE status = 'completed') AS completed
            FROM task
           GROUP BY account_id) s
   WHERE c.id = s.account_id
     AND c.id = ANY (ARRAY(SELECT account_id FROM task))
),

-- What the tasks of each key, and of each value of its cap, have cost and no longer hold. Their rows were there before this statement.
-- The comparisons with arrays make PostgreSQL look each row up, whatever it knows about the table.
key_cost AS (
  UPDATE key_spend s
     SET held_micros = s.held_micros - e.hold,
         spent_micros = s.spent_micros + e.cost
    FROM (SELECT account_id,
                 api_key_id,
                 submit_day,
                 sum(hold_micros)::int8 AS hold,
                 sum(cost_micros)::int8 AS cost
            FROM task
           GROUP BY 1, 2, 3) e
   WHERE s.account_id = e.account_id
     AND s.api_key_id = e.api_key_id
     AND s.day = e.submit_day
     AND s.account_id = ANY (ARRAY(SELECT account_id FROM task))
     AND s.api_key_id = ANY (ARRAY(SELECT api_key_id FROM task))
     AND s.day = ANY (ARRAY(SELECT submit_day FROM task))
),
value_cost AS (
  UPDATE key_value_spend s
     SET held_micros = s.held_micros - e.hold,
         spent_micros = s.spent_micros + e.cost
    FROM (SELECT account_id,
                 api_key_id,
                 cap_value,
                 submit_day,
                 sum(hold_micros)::int8 AS hold,
                 sum(cost_micros)::int8 AS cost
            FROM task
           WHERE cap_value IS NOT NULL
           GROUP BY 1, 2, 3, 4) e
   WHERE s.account_id = e.account_id
     AND s.api_key_id = e.api_key_id
     AND s.value = e.cap_value
     AND s.day = e.submit_day
     AND s.account_id = ANY (ARRAY(SELECT account_id FROM task WHERE cap_value IS NOT NULL))
     AND s.api_key_id = ANY (ARRAY(SELECT api_key_id FROM task))
     AND s.value = ANY (ARRAY(SELECT cap_value FROM task))
),

transfer AS (
  INSERT INTO ledger_transfers (
         id,
         kind,
         debit_account,
         credit_account,
         amount_micros,
         account_id,
         task_id,
         created_at)
  SELECT i.transfer,
         'capture',
         'cust:' || t.account_id,
         'revenue',
         t.cost_micros,
         t.account_id,
         t.id,
         t.completed_at
    FROM task t
    JOIN input i ON i.id = t.id
   WHERE t.status = 'completed'
),

usage AS (
  INSERT INTO usage_records (
         id,
         task_id,
         account_id,
         api_key_id,
         model,
         type,
         units,
         cost_micros,
         created_at,
         metadata)
  SELECT i.usage,
         t.id,
         t.account_id,
         t.api_key_id,
         t.model,
         t.type,
         t.stored_count,
         t.cost_micros,
         t.completed_at,
         t.metadata
    FROM task t
    JOIN input i ON i.id = t.id
   WHERE t.status = 'completed'
),

daily AS (
  INSERT INTO usage_daily AS d (
         account_id,
         api_key_id,
         model,
         day,
         units,
         cost_micros,
         requests)
  SELECT account_id,
         api_key_id,
         model,
         (completed_at AT TIME ZONE 'UTC')::date,
         sum(stored_count),
         sum(cost_micros),
         count(*)
    FROM task
   WHERE status = 'completed'
   GROUP BY 1, 2, 3, 4
  ON CONFLICT (account_id, day, model, api_key_id) DO UPDATE
     SET units = d.units + EXCLUDED.units,
         cost_micros = d.cost_micros + EXCLUDED.cost_micros,
         requests = d.requests + EXCLUDED.requests
),

-- For the hours of operators, to which a sweep adds it.
hours AS (
  INSERT INTO hour_journal (tasks)
  SELECT array_agg(id)
    FROM task
  HAVING count(*) > 0
),

delivery AS (
  INSERT INTO webhook_deliveries (
         id,
         task_id,
         account_id,
         url,
         host_port,
         body,
         next_attempt_at)
  SELECT i.delivery,
         t.id,
         t.account_id,
         t.webhook_url,
         i.host,
         i.body,
         now()
    FROM task t
    JOIN input i ON i.id = t.id
   WHERE t.webhook_url IS NOT NULL
),

-- Only an end by hand has an entry.
audit AS (
  INSERT INTO audit_entries (
         id,
         action,
         subject,
         detail)
  SELECT i.audit,
         'task.fail',
         t.id,
         i.detail
    FROM task t
    JOIN input i ON i.id = t.id
   WHERE i.audit IS NOT NULL
),

-- Objects that no result names: images of a failed task; what an earlier attempt left that did not end by itself; what the last one
-- left, unless it says that it was clean, or has stored all images.
orphans AS (
  INSERT INTO orphan_checks (task_id)
  SELECT t.id
    FROM task t
    JOIN input i ON i.id = t.id
   WHERE t.status = 'failed' AND t.stored_count > 0
      OR t.tidy_attempt < t.attempt - 1
      OR t.tidy_attempt < t.attempt AND i.clean IS NOT TRUE AND (t.status = 'failed' OR t.stored_count < t.num_outputs)
)

SELECT t.id IS NOT NULL AS settled,
       l.id IS NOT NULL AS locked,
       i.place
  FROM input i
  LEFT JOIN locked l ON l.id = i.account
  LEFT JOIN task t ON t.id = i.id
