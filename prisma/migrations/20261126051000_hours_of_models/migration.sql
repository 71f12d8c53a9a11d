-- No call, task or webhook ends between the sums and the functions that go on with them.
LOCK TABLE "accounts", "tasks", "provider_calls", "webhook_deliveries" IN SHARE ROW EXCLUSIVE MODE;

ALTER TABLE "task_hours" ADD COLUMN "failed_webhooks" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "provider_call_hours" DROP CONSTRAINT "provider_call_hours_pkey",
ADD COLUMN     "public_model" TEXT NOT NULL DEFAULT '',
ADD CONSTRAINT "provider_call_hours_pkey" PRIMARY KEY ("hour", "provider", "model", "public_model", "state", "detail", "lane");
DROP TRIGGER "provider_calls_model_costs_ended" ON "provider_calls";
DROP FUNCTION count_model_costs();
DROP FUNCTION recount_model_costs();
DROP FUNCTION recount_failed_days();
DROP TABLE "failed_task_days";
DROP TABLE "failed_delivery_days";
DROP TABLE "model_cost_hours";

-- The rest is written by hand: the schema language has no words for it.

-- Counts ended tasks in the buckets of lists, what the tasks of each key have cost and no longer hold, and failed tasks.
CREATE OR REPLACE FUNCTION count_ended_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM updated n WHERE n.status <> 'pending') THEN RETURN NULL; END IF;
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
  IF NOT EXISTS (SELECT 1 FROM updated n WHERE n.status = 'failed' AND is_caller_failure(n.error)) THEN RETURN NULL; END IF;
  INSERT INTO failed_task_counts (account_id, starts_at, total)
  SELECT e.account_id, GREATEST(date_trunc('second', now()), k.starts_at), COALESCE(k.total, 0) + e.tasks
    FROM (SELECT n.account_id, count(*) AS tasks FROM updated n JOIN previous o ON o.id = n.id
           WHERE o.status = 'pending' AND n.status = 'failed' AND is_caller_failure(n.error) GROUP BY 1) e
    LEFT JOIN LATERAL (
      SELECT f.starts_at, f.total FROM failed_task_counts f WHERE f.account_id = e.account_id ORDER BY f.starts_at DESC LIMIT 1) k ON true
   ORDER BY 1
  ON CONFLICT (account_id, starts_at) DO UPDATE SET total = EXCLUDED.total;
  DELETE FROM failed_task_counts f
   USING (SELECT DISTINCT account_id FROM updated WHERE status = 'failed') n
   WHERE f.account_id = n.account_id
     AND f.starts_at < (SELECT max(k.starts_at) FROM failed_task_counts k
                         WHERE k.account_id = n.account_id AND k.starts_at <= now() - interval '1000000 seconds');
  RETURN NULL;
END $$;

-- An outcome that replaces another one, as a definite one replaces a guess, takes its place here too. The hours name the model of the
-- provider and that of the task.
CREATE OR REPLACE FUNCTION count_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM updated n WHERE n.state NOT IN ('started', 'submitted'))
     AND NOT EXISTS (SELECT 1 FROM previous o WHERE o.state NOT IN ('started', 'submitted')) THEN RETURN NULL; END IF;
  INSERT INTO provider_call_hours AS h
         (hour, provider, model, public_model, state, detail, lane, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, t.model, c.state, COALESCE(c.detail, ''), hour_lane(),
         sum(c.times), sum(c.times * c.images_asked), sum(c.times * COALESCE(c.cost_micros, 0)),
         COALESCE(sum(c.times * EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                          array_agg(c.times) FILTER (WHERE c.state = 'succeeded'))
    FROM (SELECT n.task_id, n.provider, n.model, n.state, n.detail, n.images_asked, n.cost_micros, n.created_at, n.finished_at, 1 AS times
            FROM updated n
          UNION ALL
          SELECT o.task_id, o.provider, o.model, o.state, o.detail, o.images_asked, o.cost_micros, o.created_at, o.finished_at, -1
            FROM previous o) c
    JOIN tasks t ON t.id = c.task_id
   WHERE c.state NOT IN ('started', 'submitted')
   GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum(c.times) <> 0 OR count(*) > 1 ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (hour, provider, model, public_model, state, detail, lane) DO UPDATE
     SET calls = h.calls + EXCLUDED.calls, images = h.images + EXCLUDED.images, cost_micros = h.cost_micros + EXCLUDED.cost_micros,
         total_ms = h.total_ms + EXCLUDED.total_ms, last_call_at = GREATEST(h.last_call_at, EXCLUDED.last_call_at),
         durations = add_counts(h.durations, EXCLUDED.durations);
  RETURN NULL;
END $$;

-- Sums outlive the calls. How many of an hour were deleted is kept, so that sums and calls can be compared.
CREATE OR REPLACE FUNCTION count_deleted_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO provider_call_hours AS h (hour, provider, model, public_model, state, detail, lane, deleted)
  SELECT date_trunc('hour', o.created_at, 'UTC'), o.provider, o.model, t.model, o.state, COALESCE(o.detail, ''), hour_lane(), count(*)
    FROM previous o JOIN tasks t ON t.id = o.task_id
   WHERE o.state NOT IN ('started', 'submitted') GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (hour, provider, model, public_model, state, detail, lane) DO UPDATE SET deleted = h.deleted + EXCLUDED.deleted;
  RETURN NULL;
END $$;

-- Counts ended webhooks in the buckets of lists, and those that were given up in their hour, whose rows are locked last.
CREATE OR REPLACE FUNCTION count_ended_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO delivery_counts AS c (account_id, starts_at, delivered, failed)
  SELECT n.account_id, b.starts_at, sum((n.state = 'delivered')::int - (o.state = 'delivered')::int),
         sum((n.state = 'failed')::int - (o.state = 'failed')::int)
    FROM updated n JOIN previous o ON o.id = n.id CROSS JOIN LATERAL (
      SELECT k.starts_at FROM delivery_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
       ORDER BY k.starts_at DESC LIMIT 1) b
   WHERE n.state <> o.state AND (n.state IN ('delivered', 'failed') OR o.state IN ('delivered', 'failed'))
   GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, starts_at) DO UPDATE SET delivered = c.delivered + EXCLUDED.delivered, failed = c.failed + EXCLUDED.failed;
  IF NOT EXISTS (SELECT FROM updated WHERE state = 'failed') THEN RETURN NULL; END IF;
  INSERT INTO task_hours AS h (hour, model, lane, failed_webhooks)
  SELECT date_trunc('hour', now(), 'UTC'), t.model, hour_lane(), count(*)
    FROM updated n JOIN previous o ON o.id = n.id JOIN tasks t ON t.id = n.task_id
   WHERE n.state = 'failed' AND o.state <> 'failed' GROUP BY t.model ORDER BY t.model
  ON CONFLICT (hour, model, lane) DO UPDATE SET failed_webhooks = h.failed_webhooks + EXCLUDED.failed_webhooks;
  RETURN NULL;
END $$;

-- Sums up tasks, webhooks that were given up, and calls again, in one pass over each. Hours whose calls were deleted, all or some, keep what they have.
CREATE OR REPLACE FUNCTION recount_hours() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM task_hours;
  INSERT INTO task_hours (hour, model, lane, completed, failed, images, charged_micros, waits, durations)
  SELECT date_trunc('hour', n.completed_at, 'UTC'), n.model, 0,
         count(*) FILTER (WHERE n.status = 'completed'), count(*) FILTER (WHERE n.status = 'failed'),
         COALESCE(sum(n.stored_count) FILTER (WHERE n.status = 'completed'), 0), sum(n.cost_micros),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.started_at - n.created_at)::float8 * 1000), array_agg(1)),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.completed_at - n.created_at)::float8 * 1000) FILTER (WHERE n.status = 'completed'),
                          array_agg(1) FILTER (WHERE n.status = 'completed'))
    FROM tasks n WHERE n.status <> 'pending' GROUP BY 1, 2;
  INSERT INTO task_hours AS h (hour, model, lane, failed_webhooks)
  SELECT date_trunc('hour', COALESCE((SELECT max(x.ended_at) FROM webhook_attempts x WHERE x.delivery_id = w.id), w.created_at), 'UTC'), t.model, 0, count(*)
    FROM webhook_deliveries w JOIN tasks t ON t.id = w.task_id WHERE w.state = 'failed' GROUP BY 1, 2
  ON CONFLICT (hour, model, lane) DO UPDATE SET failed_webhooks = h.failed_webhooks + EXCLUDED.failed_webhooks;
  DELETE FROM provider_call_hours WHERE hour NOT IN (SELECT hour FROM provider_call_hours WHERE deleted <> 0);
  INSERT INTO provider_call_hours
         (hour, provider, model, public_model, state, detail, lane, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, t.model, c.state, COALESCE(c.detail, ''), 0,
         count(*), sum(c.images_asked), sum(COALESCE(c.cost_micros, 0)),
         COALESCE(sum(EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                          array_agg(1) FILTER (WHERE c.state = 'succeeded'))
    FROM provider_calls c JOIN tasks t ON t.id = c.task_id
   WHERE c.state NOT IN ('started', 'submitted')
     AND NOT EXISTS (SELECT 1 FROM provider_call_hours h WHERE h.hour = date_trunc('hour', c.created_at, 'UTC') AND h.deleted <> 0)
   GROUP BY 1, 2, 3, 4, 5, 6;
END $$;

-- Rebuilds every counter from the rows that it counts. Writers wait meanwhile: what they count must not come in between.
CREATE OR REPLACE FUNCTION recount() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE accounts, tasks, usage_records, provider_calls, webhook_deliveries IN SHARE ROW EXCLUSIVE MODE;
  PERFORM recount_accounts();
  PERFORM recount_lists();
  PERFORM recount_deliveries();
  PERFORM recount_webhooks();
  PERFORM recount_failed_tasks();
  PERFORM recount_key_spend();
  PERFORM recount_hours();
END $$;

-- The last 31 days, which pages show by model. Hours whose calls were deleted, all or some, keep what they have.
DELETE FROM provider_call_hours
 WHERE hour >= date_trunc('day', now(), 'UTC') - interval '31 days' AND hour NOT IN (SELECT hour FROM provider_call_hours WHERE deleted <> 0);
INSERT INTO provider_call_hours
       (hour, provider, model, public_model, state, detail, lane, calls, images, cost_micros, total_ms, last_call_at, durations)
SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, t.model, c.state, COALESCE(c.detail, ''), 0,
       count(*), sum(c.images_asked), sum(COALESCE(c.cost_micros, 0)),
       COALESCE(sum(EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
       count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                        array_agg(1) FILTER (WHERE c.state = 'succeeded'))
  FROM provider_calls c JOIN tasks t ON t.id = c.task_id
 WHERE c.created_at >= date_trunc('day', now(), 'UTC') - interval '31 days' AND c.state NOT IN ('started', 'submitted')
   AND NOT EXISTS (SELECT 1 FROM provider_call_hours h WHERE h.hour = date_trunc('hour', c.created_at, 'UTC') AND h.deleted <> 0)
 GROUP BY 1, 2, 3, 4, 5, 6;
INSERT INTO task_hours AS h (hour, model, lane, failed_webhooks)
SELECT date_trunc('hour', COALESCE((SELECT max(x.ended_at) FROM webhook_attempts x WHERE x.delivery_id = w.id), w.created_at), 'UTC'), t.model, 0, count(*)
  FROM webhook_deliveries w JOIN tasks t ON t.id = w.task_id WHERE w.state = 'failed' GROUP BY 1, 2
ON CONFLICT (hour, model, lane) DO UPDATE SET failed_webhooks = h.failed_webhooks + EXCLUDED.failed_webhooks;

-- Pages of 0.2.0 read today's failures and the costs of models from tables of their own.
CREATE VIEW failed_task_days AS
SELECT (hour AT TIME ZONE 'UTC')::date AS day, sum(failed) AS failed FROM task_hours WHERE hour >= date_trunc('day', now(), 'UTC') GROUP BY 1;
CREATE VIEW failed_delivery_days AS
SELECT (hour AT TIME ZONE 'UTC')::date AS day, sum(failed_webhooks) AS failed FROM task_hours WHERE hour >= date_trunc('day', now(), 'UTC') GROUP BY 1;
CREATE VIEW model_cost_hours AS
SELECT hour, public_model AS model, lane, cost_micros FROM provider_call_hours WHERE state <> 'rate_limited' AND public_model <> '' AND cost_micros <> 0;
