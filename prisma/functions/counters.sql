-- Rows after which the newest bucket of an account is full.
CREATE OR REPLACE FUNCTION list_bucket_size() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 1000::bigint $$;

-- Upper bounds of the buckets that durations are counted in, in milliseconds: each is a quarter wider than the one before.
CREATE OR REPLACE FUNCTION hour_bounds() RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg((50 * 1.25 ^ n)::float8 ORDER BY n) FROM generate_series(0, 43) n
$$;

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

-- What the rows of the journal add to the hours of tasks: tasks that ended, which never change, and webhooks that were given up.
CREATE OR REPLACE VIEW task_hour_entries AS
SELECT j.id,
       date_trunc('hour', t.completed_at, 'UTC') AS hour,
       t.model,
       (t.status = 'completed')::int AS completed,
       (t.status = 'failed')::int AS failed,
       CASE t.status WHEN 'completed' THEN t.stored_count ELSE 0 END AS images,
       t.cost_micros AS charged_micros,
       EXTRACT(EPOCH FROM t.started_at - t.created_at)::float8 * 1000 AS wait_ms,
       CASE t.status WHEN 'completed' THEN EXTRACT(EPOCH FROM t.completed_at - t.created_at)::float8 * 1000 END AS duration_ms,
       0 AS failed_webhooks
  FROM hour_journal j
  JOIN tasks t ON t.id = ANY (j.tasks)
UNION ALL
SELECT j.id,
       date_trunc('hour', w.ended, 'UTC'),
       (SELECT t.model FROM tasks t WHERE t.id = w.task),
       0,
       0,
       0,
       0,
       NULL,
       NULL,
       1
  FROM hour_journal j
 CROSS JOIN LATERAL jsonb_to_recordset(j.webhooks) AS w(
         task text,
         ended timestamptz);

-- What the rows of the journal add to the hours of calls: outcomes, those that were replaced taken away, and calls that were deleted. The
-- hours name the model of the provider, and model and quality of the task.
CREATE OR REPLACE VIEW call_hour_entries AS
SELECT j.id,
       date_trunc('hour', c.created, 'UTC') AS hour,
       c.provider,
       c.model,
       (SELECT t.model FROM tasks t WHERE t.id = c.task) AS public_model,
       COALESCE((SELECT t.quality FROM tasks t WHERE t.id = c.task), '') AS quality,
       c.state,
       COALESCE(c.detail, '') AS detail,
       c.calls,
       c.calls * c.images AS images,
       c.calls * COALESCE(c.cost, 0) AS cost_micros,
       c.ms AS duration_ms,
       c.created,
       COALESCE(c.deleted, 0) AS deleted
  FROM hour_journal j
 CROSS JOIN LATERAL jsonb_to_recordset(j.calls) AS c(
         task text,
         provider text,
         model text,
         state text,
         detail text,
         images int,
         cost int8,
         created timestamptz,
         ms float8,
         calls int,
         deleted int);

-- Adds the oldest rows of the journal to the hours of operators and removes them, in one statement: each is added once, whoever else does
-- this. Returns their number. Tasks are looked up by their ids, also before the first ANALYZE of a grown table.
CREATE OR REPLACE FUNCTION add_up_hours() RETURNS bigint LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  entries bigint;
BEGIN
  WITH added AS MATERIALIZED (
    DELETE FROM hour_journal
     WHERE id = ANY (ARRAY(SELECT j.id FROM hour_journal j ORDER BY j.id LIMIT 1000 FOR UPDATE SKIP LOCKED))
    RETURNING id),
  tasks_added AS (
    INSERT INTO task_hours AS h (hour, model, completed, failed, images, charged_micros, waits, durations, failed_webhooks)
    SELECT e.hour,
           e.model,
           sum(e.completed),
           sum(e.failed),
           sum(e.images),
           sum(e.charged_micros),
           count_in_buckets(array_agg(e.wait_ms), array_agg(1)),
           count_in_buckets(array_agg(e.duration_ms), array_agg(1)),
           sum(e.failed_webhooks)
      FROM task_hour_entries e
     WHERE e.id IN (SELECT id FROM added)
     GROUP BY 1, 2
     ORDER BY 1, 2
    ON CONFLICT (hour, model) DO UPDATE
       SET completed = h.completed + EXCLUDED.completed,
           failed = h.failed + EXCLUDED.failed,
           images = h.images + EXCLUDED.images,
           charged_micros = h.charged_micros + EXCLUDED.charged_micros,
           waits = add_counts(h.waits, EXCLUDED.waits),
           durations = add_counts(h.durations, EXCLUDED.durations),
           failed_webhooks = h.failed_webhooks + EXCLUDED.failed_webhooks),
  calls_added AS (
    INSERT INTO provider_call_hours AS h (hour, provider, model, public_model, quality, state, detail, calls, images, cost_micros,
           total_ms, last_call_at, durations, deleted)
    SELECT e.hour,
           e.provider,
           e.model,
           e.public_model,
           e.quality,
           e.state,
           e.detail,
           sum(e.calls),
           sum(e.images),
           sum(e.cost_micros),
           COALESCE(sum(e.calls * e.duration_ms), 0),
           max(e.created) FILTER (WHERE e.calls > 0),
           count_in_buckets(array_agg(e.duration_ms) FILTER (WHERE e.state = 'succeeded'),
                            array_agg(e.calls) FILTER (WHERE e.state = 'succeeded')),
           sum(e.deleted)
      FROM call_hour_entries e
     WHERE e.id IN (SELECT id FROM added)
     GROUP BY 1, 2, 3, 4, 5, 6, 7
     ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (hour, provider, model, public_model, quality, state, detail) DO UPDATE
       SET calls = h.calls + EXCLUDED.calls,
           images = h.images + EXCLUDED.images,
           cost_micros = h.cost_micros + EXCLUDED.cost_micros,
           total_ms = h.total_ms + EXCLUDED.total_ms,
           last_call_at = GREATEST(h.last_call_at, EXCLUDED.last_call_at),
           durations = add_counts(h.durations, EXCLUDED.durations),
           deleted = h.deleted + EXCLUDED.deleted)
  SELECT count(*) INTO entries FROM added;
  RETURN entries;
END $$;

-- Counts all tasks that are not deleted, and all usage records, again, in one pass over each.
CREATE OR REPLACE FUNCTION recount_lists() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM task_counts;
  INSERT INTO task_counts (account_id, starts_at, model, type, tasks, completed, failed)
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(min(created_at)) OVER (PARTITION BY account_id, bucket) END, model, type,
         count(*), count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'failed')
    FROM (SELECT account_id, created_at, model, type, status,
                 (rank() OVER (PARTITION BY account_id ORDER BY created_at) - 1) / list_bucket_size() AS bucket
            FROM tasks WHERE deleted_at IS NULL) t
   GROUP BY account_id, bucket, model, type;
  DELETE FROM usage_counts;
  INSERT INTO usage_counts (account_id, starts_at, model, api_key_id, quality, records, units, cost_micros)
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(min(created_at)) OVER (PARTITION BY account_id, bucket) END,
    model, api_key_id,
         quality, count(*), sum(units), sum(cost_micros)
    FROM (SELECT r.account_id, r.created_at, r.model, r.api_key_id, COALESCE(t.quality, '') AS quality, r.units, r.cost_micros,
                 (rank() OVER (PARTITION BY r.account_id ORDER BY r.created_at) - 1) / list_bucket_size() AS bucket
            FROM usage_records r JOIN tasks t ON t.id = r.task_id) u
   GROUP BY account_id, bucket, model, api_key_id, quality;
END $$;

-- Sums up tasks, webhooks that were given up, and calls again, in one pass over each. Hours whose calls were deleted, all or some, keep
-- what they have, with what the journal has for them.
CREATE OR REPLACE FUNCTION recount_hours() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  WHILE add_up_hours() > 0 LOOP END LOOP;
  DELETE FROM task_hours;
  INSERT INTO task_hours (hour, model, completed, failed, images, charged_micros, waits, durations)
  SELECT date_trunc('hour', n.completed_at, 'UTC'), n.model,
         count(*) FILTER (WHERE n.status = 'completed'), count(*) FILTER (WHERE n.status = 'failed'),
         COALESCE(sum(n.stored_count) FILTER (WHERE n.status = 'completed'), 0), sum(n.cost_micros),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.started_at - n.created_at)::float8 * 1000), array_agg(1)),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.completed_at - n.created_at)::float8 * 1000) FILTER (WHERE n.status = 'completed'),
                          array_agg(1) FILTER (WHERE n.status = 'completed'))
    FROM tasks n WHERE n.status <> 'pending' GROUP BY 1, 2;
  INSERT INTO task_hours AS h (hour, model, failed_webhooks)
  SELECT date_trunc('hour', COALESCE((SELECT max(x.ended_at) FROM webhook_attempts x WHERE x.delivery_id = w.id), w.created_at),
    'UTC'), t.model, count(*)
    FROM webhook_deliveries w JOIN tasks t ON t.id = w.task_id WHERE w.state = 'failed' GROUP BY 1, 2
  ON CONFLICT (hour, model) DO UPDATE SET failed_webhooks = h.failed_webhooks + EXCLUDED.failed_webhooks;
  DELETE FROM provider_call_hours WHERE hour NOT IN (SELECT hour FROM provider_call_hours WHERE deleted <> 0);
  INSERT INTO provider_call_hours
         (hour, provider, model, public_model, quality, state, detail, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, t.model, COALESCE(t.quality, ''), c.state, COALESCE(c.detail, ''),
         count(*), sum(c.images_asked), sum(COALESCE(c.cost_micros, 0)),
         COALESCE(sum(EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                          array_agg(1) FILTER (WHERE c.state = 'succeeded'))
    FROM provider_calls c JOIN tasks t ON t.id = c.task_id
   WHERE c.state NOT IN ('started', 'submitted')
     AND NOT EXISTS (SELECT 1 FROM provider_call_hours h WHERE h.hour = date_trunc('hour', c.created_at, 'UTC') AND h.deleted <> 0)
   GROUP BY 1, 2, 3, 4, 5, 6, 7;
END $$;

-- Counts tasks and usage records of each account again, and the usage of each day.
CREATE OR REPLACE FUNCTION recount_accounts() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  UPDATE accounts a SET task_count = c.tasks, open_count = c.open, erased_count = c.deleted, usage_count = c.records
    FROM (SELECT i.id, COALESCE(t.tasks, 0) AS tasks, COALESCE(t.open, 0) AS open, COALESCE(t.deleted, 0) AS deleted,
      COALESCE(u.records, 0) AS records
            FROM accounts i
            LEFT JOIN (SELECT account_id, count(*) AS tasks, count(*) FILTER (WHERE status = 'pending') AS open,
                              count(*) FILTER (WHERE deleted_at IS NOT NULL) AS deleted FROM tasks GROUP BY 1) t ON t.account_id = i.id
            LEFT JOIN (SELECT account_id, count(*) AS records FROM usage_records GROUP BY 1) u ON u.account_id = i.id) c
   WHERE a.id = c.id AND (a.task_count, a.open_count, a.erased_count, a.usage_count) IS DISTINCT
     FROM (c.tasks, c.open, c.deleted, c.records);
  DELETE FROM usage_daily;
  INSERT INTO usage_daily (account_id, api_key_id, model, day, units, cost_micros, requests)
  SELECT account_id, api_key_id, model, (created_at AT TIME ZONE 'UTC')::date, sum(units), sum(cost_micros), count(*)
    FROM usage_records GROUP BY 1, 2, 3, 4;
END $$;

-- Counts again the webhooks that each account and each receiver waits for.
CREATE OR REPLACE FUNCTION recount_webhooks() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM webhook_hosts;
  INSERT INTO webhook_hosts (account_id, host_port, pending)
  SELECT account_id, host_port, count(*) FROM webhook_deliveries WHERE state IN ('pending', 'sending') GROUP BY 1, 2;
  DELETE FROM webhook_backlogs;
  INSERT INTO webhook_backlogs (account_id, hosts, ended) SELECT account_id, count(*), 0 FROM webhook_hosts GROUP BY 1;
  UPDATE accounts a SET webhook_count = c.waiting
    FROM (SELECT i.id, COALESCE(h.pending, 0) + COALESCE(t.tasks, 0) AS waiting
            FROM accounts i
            LEFT JOIN (SELECT account_id, sum(pending) AS pending FROM webhook_hosts GROUP BY 1) h ON h.account_id = i.id
            LEFT JOIN (SELECT account_id, count(*) AS tasks FROM tasks WHERE status = 'pending' AND webhook_url IS NOT NULL GROUP BY 1) t
              ON t.account_id = i.id) c
   WHERE a.id = c.id AND a.webhook_count <> c.waiting;
END $$;

-- Rebuilds every counter from the rows that it counts. Writers wait meanwhile: what they count must not come in between.
CREATE OR REPLACE FUNCTION recount() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE accounts, tasks, usage_records, provider_calls, webhook_deliveries, hour_journal IN SHARE ROW EXCLUSIVE MODE;
  PERFORM recount_accounts();
  PERFORM recount_lists();
  PERFORM recount_deliveries();
  PERFORM recount_webhooks();
  PERFORM recount_failed_tasks();
  PERFORM recount_key_spend();
  PERFORM recount_hours();
END $$;
