-- Numbers of durations in milliseconds by bucket, each counted `times`; empty without durations. PL/pgSQL keeps its plans: a function in
-- SQL is planned anew by every statement that calls it, in PostgreSQL before 18.
CREATE OR REPLACE FUNCTION count_in_buckets(ms float8[], times int[]) RETURNS int[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  counts int[] := array_fill(0, ARRAY[cardinality(hour_bounds()) + 1]);
  bucket int;
BEGIN
  IF ms IS NULL THEN RETURN '{}'; END IF;
  FOR place IN 1 .. cardinality(ms) LOOP
    bucket := 1 + width_bucket(ms[place], hour_bounds());
    IF bucket IS NOT NULL THEN counts[bucket] := counts[bucket] + times[place]; END IF;
  END LOOP;
  RETURN counts;
END $$;

-- Adds up two rows of buckets, of which either may be empty.
CREATE OR REPLACE FUNCTION add_counts(a int[], b int[]) RETURNS int[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF cardinality(a) = 0 THEN RETURN b; END IF;
  FOR place IN 1 .. cardinality(b) LOOP
    IF b[place] <> 0 THEN a[place] := a[place] + b[place]; END IF;
  END LOOP;
  RETURN a;
END $$;

-- Counts ended tasks in the buckets of lists, what the tasks of each key and value have cost and no longer hold, those that failed because of
-- their requests, and all in the hours of operators, which are locked last. Open calls of a task that ends are abandoned, whichever statement
-- and release ends it: a trigger sees calls that began while that statement waited for the task; a part of the statement would not.
CREATE OR REPLACE FUNCTION count_ended_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM updated WHERE status <> 'pending') THEN RETURN NULL; END IF;
  INSERT INTO abandoned_calls (call_id, provider)
  SELECT c.id, c.provider FROM provider_calls c
   WHERE c.state IN ('started', 'submitted')
     AND c.task_id = ANY (ARRAY(SELECT n.id FROM updated n JOIN previous o ON o.id = n.id
                                 WHERE o.status = 'pending' AND n.status <> 'pending' AND n.call_count > 0))
  ON CONFLICT (call_id) DO NOTHING;
  UPDATE task_counts c SET completed = c.completed + e.completed, failed = c.failed + e.failed
    FROM (SELECT n.account_id, b.starts_at, n.model, n.type,
                 count(*) FILTER (WHERE n.status = 'completed') AS completed, count(*) FILTER (WHERE n.status = 'failed') AS failed
            FROM updated n JOIN previous o ON o.id = n.id CROSS JOIN LATERAL (
              SELECT k.starts_at FROM task_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
               ORDER BY k.starts_at DESC LIMIT 1) b
           WHERE o.status = 'pending' AND n.status <> 'pending' GROUP BY 1, 2, 3, 4) e
   WHERE c.account_id = e.account_id AND c.starts_at = e.starts_at AND c.model = e.model AND c.type = e.type;
  UPDATE key_spend s SET held_micros = s.held_micros - e.hold, spent_micros = s.spent_micros + e.cost
    FROM (SELECT n.account_id, n.api_key_id, (n.created_at AT TIME ZONE 'UTC')::date AS day, sum(n.hold_micros)::int8 AS hold,
                 sum(n.cost_micros)::int8 AS cost
            FROM updated n JOIN previous o ON o.id = n.id WHERE o.status = 'pending' AND n.status <> 'pending' GROUP BY 1, 2, 3) e
   WHERE s.account_id = e.account_id AND s.api_key_id = e.api_key_id AND s.day = e.day;
  IF EXISTS (SELECT FROM updated WHERE cap_value IS NOT NULL) THEN
    UPDATE key_value_spend s SET held_micros = s.held_micros - e.hold, spent_micros = s.spent_micros + e.cost
      FROM (SELECT n.account_id, n.api_key_id, n.cap_value, (n.created_at AT TIME ZONE 'UTC')::date AS day, sum(n.hold_micros)::int8 AS hold,
                   sum(n.cost_micros)::int8 AS cost
              FROM updated n JOIN previous o ON o.id = n.id
             WHERE o.status = 'pending' AND n.status <> 'pending' AND n.cap_value IS NOT NULL GROUP BY 1, 2, 3, 4) e
     WHERE s.account_id = e.account_id AND s.api_key_id = e.api_key_id AND s.value = e.cap_value AND s.day = e.day;
  END IF;
  IF EXISTS (SELECT FROM updated WHERE status = 'failed' AND is_caller_failure(failure)) THEN
    INSERT INTO failed_task_counts (account_id, starts_at, total)
    SELECT e.account_id, GREATEST(date_trunc('second', now()), k.starts_at), COALESCE(k.total, 0) + e.tasks
      FROM (SELECT n.account_id, count(*) AS tasks FROM updated n JOIN previous o ON o.id = n.id
             WHERE o.status = 'pending' AND n.status = 'failed' AND is_caller_failure(n.failure) GROUP BY 1) e
      LEFT JOIN LATERAL (
        SELECT f.starts_at, f.total FROM failed_task_counts f WHERE f.account_id = e.account_id ORDER BY f.starts_at DESC LIMIT 1) k ON true
     ORDER BY 1
    ON CONFLICT (account_id, starts_at) DO UPDATE SET total = EXCLUDED.total;
    DELETE FROM failed_task_counts f
     USING (SELECT DISTINCT account_id FROM updated WHERE status = 'failed') n
     WHERE f.account_id = n.account_id
       AND f.starts_at < (SELECT max(k.starts_at) FROM failed_task_counts k
                           WHERE k.account_id = n.account_id AND k.starts_at <= now() - interval '1000000 seconds');
  END IF;
  INSERT INTO task_hours AS h (hour, model, lane, completed, failed, images, charged_micros, waits, durations)
  SELECT date_trunc('hour', n.completed_at, 'UTC'), n.model, hour_lane(),
         count(*) FILTER (WHERE n.status = 'completed'), count(*) FILTER (WHERE n.status = 'failed'),
         COALESCE(sum(n.stored_count) FILTER (WHERE n.status = 'completed'), 0), sum(n.cost_micros),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.started_at - n.created_at)::float8 * 1000), array_agg(1)),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.completed_at - n.created_at)::float8 * 1000) FILTER (WHERE n.status = 'completed'),
                          array_agg(1) FILTER (WHERE n.status = 'completed'))
    FROM updated n JOIN previous o ON o.id = n.id WHERE o.status = 'pending' AND n.status <> 'pending'
   GROUP BY 1, 2, 3 ORDER BY 1, 2
  ON CONFLICT (hour, model, lane) DO UPDATE
     SET completed = h.completed + EXCLUDED.completed, failed = h.failed + EXCLUDED.failed, images = h.images + EXCLUDED.images,
         charged_micros = h.charged_micros + EXCLUDED.charged_micros, waits = add_counts(h.waits, EXCLUDED.waits),
         durations = add_counts(h.durations, EXCLUDED.durations);
  RETURN NULL;
END $$;
DROP TRIGGER "tasks_abandon_calls" ON "tasks";
DROP FUNCTION note_abandoned_calls();
