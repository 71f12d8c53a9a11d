-- Judges, holds and inserts many tasks in one statement. Each account is locked once, in the order of ids. Submits that exceed no limit by
-- themselves are accepted in order while together they stay within the limits, the first of an account always. One that is neither
-- accepted nor refused lacks what those before it have asked for. It is judged again; each time at least one of the account was accepted.
-- The account is updated beside the insert, never after it: measured two to three times faster on a hot account.
-- A taken idempotency key fails the whole statement, holds included. So does an equal request of a key whose equal requests share a task.
/*= judge-submit.sql */,

turns AS (
  SELECT s.*,
         sum(hold) OVER turn AS total,
         row_number() OVER turn AS tasks,
         count(host) OVER turn AS webhooks,
         sum(hold) OVER (PARTITION BY account, family ORDER BY place) AS key_total,
         sum(hold) OVER (PARTITION BY account, family, cap_value ORDER BY place) AS value_total
    FROM submit s
   WHERE place <> ALL (ARRAY(SELECT place FROM exceeded))
  WINDOW turn AS (PARTITION BY account ORDER BY place)
),
taken AS (
  SELECT place,
         account,
         key,
         hold,
         host,
         cap_value,
         open_count + tasks AS open_count
    FROM turns
   WHERE tasks = 1
      OR (total <= available
          AND open_count + tasks <= max_open_tasks
          AND (host IS NULL OR pending_deliveries + webhooks <= max_deliveries)
          AND key_total <= COALESCE(LEAST(cap_day_micros - day_micros,
                                          cap_month_micros - month_micros,
                                          cap_total_micros - total_micros), key_total)
          AND value_total <= COALESCE(cap_per_micros - value_micros, value_total))
),

held AS (
  UPDATE accounts c
     SET held_micros = c.held_micros + t.hold,
         task_count = c.task_count + t.tasks,
         open_count = c.open_count + t.tasks,
         webhook_count = c.webhook_count + t.webhooks
    FROM (SELECT account,
                 sum(hold)::int8 AS hold,
                 count(*)::int AS tasks,
                 count(host) AS webhooks
            FROM taken
           GROUP BY account) t
   WHERE c.id = t.account
     AND c.id = ANY (ARRAY(SELECT account FROM taken))
),
-- What the tasks of each key, and of each value of its cap, hold. The days are those of the submit.
key_hold AS (
  INSERT INTO key_spend AS s (
         account_id,
         api_key_id,
         day,
         held_micros)
  SELECT account,
         key,
         (now()::timestamptz(3) AT TIME ZONE 'UTC')::date,
         sum(hold)
    FROM taken
   WHERE key <> 'key_playground'
   GROUP BY 1, 2
   ORDER BY 1, 2
  ON CONFLICT (account_id, api_key_id, day) DO UPDATE
     SET held_micros = s.held_micros + EXCLUDED.held_micros
  RETURNING day
),
value_hold AS (
  INSERT INTO key_value_spend AS s (
         account_id,
         api_key_id,
         value,
         day,
         held_micros)
  SELECT account,
         key,
         decode(cap_value, 'hex'),
         (now()::timestamptz(3) AT TIME ZONE 'UTC')::date,
         sum(hold)
    FROM taken
   WHERE cap_value IS NOT NULL
   GROUP BY 1, 2, 3
   ORDER BY 1, 2, 3
  ON CONFLICT (account_id, api_key_id, value, day) DO UPDATE
     SET held_micros = s.held_micros + EXCLUDED.held_micros
),

-- After the counters of the keys: the trigger that tells of caps reads the sums that theirs carry on.
inserted AS (
  INSERT INTO tasks (
         id,
         account_id,
         api_key_id,
         request_id,
         type,
         unit_micros,
         hold_micros,
         catalog_version,
         accepted_by,
         idem_key,
         idem_fingerprint,
         idem_added,
         traceparent,
         cap_value,
         created_at,
         deadline_at,
         wishes,
         shape_ratios,
         /*= columns of the task */)
  SELECT id,
         account,
         key,
         request,
         type,
         unit,
         hold,
         catalog,
         -- Minor number of the first release whose submits the database takes.
         4,
         idem,
         decode(fingerprint, 'hex'),
         decode(added, 'hex'),
         trace,
         decode(cap_value, 'hex'),
         now(),
         now() + make_interval(secs => deadline / 1000),
         wishes,
         shape_ratios,
         /*= columns of the task */
    FROM input
   WHERE place = ANY (ARRAY(SELECT place FROM taken))
     AND (SELECT count(*) FROM key_hold) >= 0
),
waiting AS (
  INSERT INTO facade_requests (
         task_id,
         account_id,
         api_key_id,
         fingerprint,
         added,
         request_id,
         process_id,
         retry_count,
         is_sole)
  SELECT id,
         account,
         key,
         decode(equals, 'hex'),
         decode(equals_added, 'hex'),
         waiter,
         process,
         retries,
         sole
    FROM input
   WHERE waiter IS NOT NULL
     AND place = ANY (ARRAY(SELECT place FROM taken))
)
-- Each further table that is joined costs a single submit some microseconds, and so do semi-joins where arrays stand.
SELECT CASE WHEN t.place IS NOT NULL THEN now()::timestamptz(3) END AS "createdAt",
       t.open_count::int AS "openCount",
       s.status IS NOT NULL AS locked,
       /*= columns of a limit */,
       s.place
  FROM submit s
  LEFT JOIN taken t ON t.place = s.place
  LEFT JOIN exceeded e ON e.place = s.place
 ORDER BY s.place, e.number
