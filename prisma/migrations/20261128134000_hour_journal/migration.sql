-- Hours of operators leave the statements that end tasks and calls: these write one row of a journal, which a sweep adds up.
CREATE TABLE "hour_journal" (
    "id" BIGSERIAL NOT NULL,
    "tasks" TEXT[],
    "calls" JSONB,
    "webhooks" JSONB,

    CONSTRAINT "hour_journal_pkey" PRIMARY KEY ("id")
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- One session at a time adds to the hours: their lanes become one.
DO $$
BEGIN
  FOR other IN 1..3 LOOP
    INSERT INTO task_hours AS h (hour, model, lane, completed, failed, images, charged_micros, waits, durations, failed_webhooks)
    SELECT o.hour, o.model, 0, o.completed, o.failed, o.images, o.charged_micros, o.waits, o.durations, o.failed_webhooks
      FROM task_hours o
     WHERE o.lane = other
    ON CONFLICT (hour, model, lane) DO UPDATE
       SET completed = h.completed + EXCLUDED.completed,
           failed = h.failed + EXCLUDED.failed,
           images = h.images + EXCLUDED.images,
           charged_micros = h.charged_micros + EXCLUDED.charged_micros,
           waits = add_counts(h.waits, EXCLUDED.waits),
           durations = add_counts(h.durations, EXCLUDED.durations),
           failed_webhooks = h.failed_webhooks + EXCLUDED.failed_webhooks;
    INSERT INTO provider_call_hours AS h (hour, provider, model, public_model, quality, state, detail, lane, calls, images, cost_micros,
           total_ms, last_call_at, durations, deleted)
    SELECT o.hour, o.provider, o.model, o.public_model, o.quality, o.state, o.detail, 0, o.calls, o.images, o.cost_micros,
           o.total_ms, o.last_call_at, o.durations, o.deleted
      FROM provider_call_hours o
     WHERE o.lane = other
    ON CONFLICT (hour, provider, model, public_model, quality, state, detail, lane) DO UPDATE
       SET calls = h.calls + EXCLUDED.calls,
           images = h.images + EXCLUDED.images,
           cost_micros = h.cost_micros + EXCLUDED.cost_micros,
           total_ms = h.total_ms + EXCLUDED.total_ms,
           last_call_at = GREATEST(h.last_call_at, EXCLUDED.last_call_at),
           durations = add_counts(h.durations, EXCLUDED.durations),
           deleted = h.deleted + EXCLUDED.deleted;
  END LOOP;
END $$;
DELETE FROM task_hours WHERE lane <> 0;
DELETE FROM provider_call_hours WHERE lane <> 0;
ALTER TABLE task_hours DROP CONSTRAINT task_hours_pkey,
  DROP COLUMN lane,
  ADD CONSTRAINT task_hours_pkey PRIMARY KEY (hour, model);
ALTER TABLE provider_call_hours DROP CONSTRAINT provider_call_hours_pkey,
  DROP COLUMN lane,
  ADD CONSTRAINT provider_call_hours_pkey PRIMARY KEY (hour, provider, model, public_model, quality, state, detail);

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
  SELECT date_trunc('hour', COALESCE((SELECT max(x.ended_at) FROM webhook_attempts x WHERE x.delivery_id = w.id), w.created_at), 'UTC'), t.model, count(*)
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

-- What the calls that started today (UTC) have cost by provider; open ones and those whose outcome is unknown at list cost; trial pictures too.
CREATE OR REPLACE FUNCTION sum_costs_of_day() RETURNS TABLE (provider text, micros int8) LANGUAGE sql STABLE AS $$
  WITH day AS (SELECT date_trunc('day', now()::timestamptz(3), 'UTC') AS starts)
  SELECT c.provider, sum(c.micros)::int8 FROM (
    SELECT h.provider, h.cost_micros AS micros FROM provider_call_hours h, day
     WHERE h.hour >= day.starts AND h.hour < day.starts + interval '24 hours'
    UNION ALL
    SELECT e.provider, e.cost_micros FROM call_hour_entries e, day
     WHERE e.hour >= day.starts AND e.hour < day.starts + interval '24 hours'
    UNION ALL
    SELECT o.provider, COALESCE(o.cost_micros, 0) FROM provider_calls o, day
     WHERE o.state IN ('started', 'submitted') AND o.created_at >= day.starts AND o.created_at < day.starts + interval '24 hours'
    UNION ALL
    SELECT k.provider, k.cost_micros FROM provider_checks k, day
     WHERE k.cost_micros > 0 AND k.created_at >= day.starts AND k.created_at < day.starts + interval '24 hours') c
   GROUP BY c.provider
$$;

-- What reads after the lock of the account when tasks end, whichever statement ends them. A statement calls it for each task that it
-- ends, and the first call does it for all: nothing is called for claims and heartbeats. It changes no task that ended earlier.
CREATE OR REPLACE FUNCTION count_ended_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> (SELECT n.id FROM updated n WHERE n.status <> 'pending' LIMIT 1) THEN RETURN NULL; END IF;
  PERFORM abandon_calls(array_agg(n.id) FILTER (WHERE n.call_count > 0)),
          count_ended_in_lists(array_agg(n.account_id),
                               array_agg(n.created_at),
                               array_agg(n.model),
                               array_agg(n.type),
                               array_agg(n.status))
     FROM updated n
    WHERE n.status <> 'pending';
  PERFORM count_caller_failures(array_agg(n.account_id))
     FROM updated n
    WHERE n.status = 'failed' AND is_caller_failure(n.failure)
   HAVING count(*) > 0;
  RETURN NULL;
END $$;

DROP TRIGGER "provider_calls_hours_ended" ON "provider_calls";
DROP TRIGGER "provider_calls_hours_deleted" ON "provider_calls";
DROP FUNCTION count_call_hours(), count_deleted_call_hours();
-- Notes outcomes for the hours of operators, in one row a statement. One that replaces another, as a definite one replaces a guess, takes its
-- place there too; which one that was is known here alone.
CREATE OR REPLACE FUNCTION note_call_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO hour_journal (calls)
  SELECT jsonb_agg(jsonb_build_object('task', n.task_id,
                                      'provider', n.provider,
                                      'model', n.model,
                                      'state', c.state,
                                      'detail', c.detail,
                                      'images', n.images_asked,
                                      'cost', c.cost,
                                      'created', n.created_at,
                                      'ms', round(EXTRACT(EPOCH FROM c.finished - n.created_at) * 1000),
                                      'calls', c.calls))
    FROM updated n
    JOIN previous o ON o.id = n.id
   CROSS JOIN LATERAL (VALUES (n.state, n.detail, n.cost_micros, n.finished_at, 1),
                              (o.state, o.detail, o.cost_micros, o.finished_at, -1)) AS c(state, detail, cost, finished, calls)
   WHERE (n.state, n.detail, n.cost_micros) IS DISTINCT FROM (o.state, o.detail, o.cost_micros)
     AND c.state NOT IN ('started', 'submitted')
  HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "provider_calls_ended" AFTER UPDATE ON "provider_calls" REFERENCING OLD TABLE AS previous NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION note_call_outcomes();

-- Counts ended webhooks for their receivers and in the buckets of lists, and notes those that were given up for the hours of operators.
CREATE OR REPLACE FUNCTION count_ended_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM updated WHERE state IN ('delivered', 'failed')) AND NOT EXISTS (SELECT FROM previous WHERE state IN ('delivered', 'failed'))
  THEN RETURN NULL; END IF;
  PERFORM add_to_webhook_counts(array_agg(n.account_id), array_agg(n.host_port),
            array_agg(CASE WHEN n.state IN ('pending', 'sending') THEN 1 ELSE -1 END),
            array_agg(CASE WHEN n.state IN ('pending', 'sending') THEN -1 ELSE 1 END))
     FROM previous o JOIN updated n ON n.id = o.id
    WHERE (o.state IN ('pending', 'sending')) <> (n.state IN ('pending', 'sending')) HAVING count(*) > 0;
  INSERT INTO delivery_counts AS c (account_id, starts_at, delivered, failed)
  SELECT n.account_id, b.starts_at, sum((n.state = 'delivered')::int - (o.state = 'delivered')::int),
         sum((n.state = 'failed')::int - (o.state = 'failed')::int)
    FROM updated n JOIN previous o ON o.id = n.id CROSS JOIN LATERAL (
      SELECT k.starts_at FROM delivery_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
       ORDER BY k.starts_at DESC LIMIT 1) b
   WHERE n.state <> o.state AND (n.state IN ('delivered', 'failed') OR o.state IN ('delivered', 'failed'))
   GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, starts_at) DO UPDATE SET delivered = c.delivered + EXCLUDED.delivered, failed = c.failed + EXCLUDED.failed;
  INSERT INTO hour_journal (webhooks)
  SELECT jsonb_agg(jsonb_build_object('task', n.task_id, 'ended', now()))
    FROM updated n
    JOIN previous o ON o.id = n.id
   WHERE n.state = 'failed' AND o.state <> 'failed'
  HAVING count(*) > 0;
  RETURN NULL;
END $$;
DROP FUNCTION hour_lane();
