-- Writers of usage and calls wait for the new functions.
LOCK TABLE "tasks", "usage_records", "provider_calls" IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE "usage_counts", "provider_call_hours" IN ACCESS EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "provider_call_hours" DROP CONSTRAINT "provider_call_hours_pkey",
ADD COLUMN     "quality" TEXT NOT NULL DEFAULT '',
ADD CONSTRAINT "provider_call_hours_pkey" PRIMARY KEY ("hour", "provider", "model", "public_model", "quality", "state", "detail", "lane");

-- AlterTable
ALTER TABLE "usage_counts" DROP CONSTRAINT "usage_counts_pkey",
ADD COLUMN     "quality" TEXT NOT NULL DEFAULT '',
ADD CONSTRAINT "usage_counts_pkey" PRIMARY KEY ("account_id", "starts_at", "model", "api_key_id", "quality");

-- The rest is written by hand: the schema language has no words for it.

-- The tasks that margins by quality add up; a plain price needs none.
CREATE INDEX "tasks_with_quality" ON "tasks" (completed_at) WHERE quality IS NOT NULL;

CREATE OR REPLACE FUNCTION count_new_usage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_full boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM inserted) THEN RETURN NULL; END IF;
  WITH counted AS (
    INSERT INTO usage_counts AS c (account_id, starts_at, model, api_key_id, quality, records, units, cost_micros)
    SELECT n.account_id, COALESCE(b.starts_at, '-infinity'), n.model, n.api_key_id, COALESCE(t.quality, ''), count(*), sum(n.units), sum(n.cost_micros)
      FROM inserted n JOIN tasks t ON t.id = n.task_id LEFT JOIN LATERAL (
        SELECT k.starts_at FROM usage_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
         ORDER BY k.starts_at DESC LIMIT 1) b ON true
     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account_id, starts_at, model, api_key_id, quality) DO UPDATE
       SET records = c.records + EXCLUDED.records, units = c.units + EXCLUDED.units, cost_micros = c.cost_micros + EXCLUDED.cost_micros
    RETURNING c.records)
  SELECT max(records) >= list_bucket_size() INTO is_full FROM counted;
  IF is_full THEN
    INSERT INTO usage_counts (account_id, starts_at, model, api_key_id)
    SELECT n.account_id, (SELECT max(u.created_at) + interval '1 millisecond' FROM usage_records u WHERE u.account_id = n.account_id), n.model, n.api_key_id
      FROM (SELECT DISTINCT ON (account_id) account_id, model, api_key_id FROM inserted ORDER BY account_id) n
     WHERE EXISTS (SELECT FROM usage_counts c
                    WHERE c.account_id = n.account_id AND c.records >= list_bucket_size()
                      AND NOT EXISTS (SELECT FROM usage_counts k WHERE k.account_id = c.account_id AND k.starts_at > c.starts_at))
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM updated n WHERE n.state NOT IN ('started', 'submitted'))
     AND NOT EXISTS (SELECT 1 FROM previous o WHERE o.state NOT IN ('started', 'submitted')) THEN RETURN NULL; END IF;
  INSERT INTO provider_call_hours AS h
         (hour, provider, model, public_model, quality, state, detail, lane, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, t.model, COALESCE(t.quality, ''), c.state, COALESCE(c.detail, ''), hour_lane(),
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
   GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(c.times) <> 0 OR count(*) > 1 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (hour, provider, model, public_model, quality, state, detail, lane) DO UPDATE
     SET calls = h.calls + EXCLUDED.calls, images = h.images + EXCLUDED.images, cost_micros = h.cost_micros + EXCLUDED.cost_micros,
         total_ms = h.total_ms + EXCLUDED.total_ms, last_call_at = GREATEST(h.last_call_at, EXCLUDED.last_call_at),
         durations = add_counts(h.durations, EXCLUDED.durations);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_deleted_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO provider_call_hours AS h (hour, provider, model, public_model, quality, state, detail, lane, deleted)
  SELECT date_trunc('hour', o.created_at, 'UTC'), o.provider, o.model, t.model, COALESCE(t.quality, ''), o.state, COALESCE(o.detail, ''), hour_lane(), count(*)
    FROM previous o JOIN tasks t ON t.id = o.task_id
   WHERE o.state NOT IN ('started', 'submitted') GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (hour, provider, model, public_model, quality, state, detail, lane) DO UPDATE SET deleted = h.deleted + EXCLUDED.deleted;
  RETURN NULL;
END $$;

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
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(min(created_at)) OVER (PARTITION BY account_id, bucket) END, model, api_key_id,
         quality, count(*), sum(units), sum(cost_micros)
    FROM (SELECT r.account_id, r.created_at, r.model, r.api_key_id, COALESCE(t.quality, '') AS quality, r.units, r.cost_micros,
                 (rank() OVER (PARTITION BY r.account_id ORDER BY r.created_at) - 1) / list_bucket_size() AS bucket
            FROM usage_records r JOIN tasks t ON t.id = r.task_id) u
   GROUP BY account_id, bucket, model, api_key_id, quality;
END $$;

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
         (hour, provider, model, public_model, quality, state, detail, lane, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, t.model, COALESCE(t.quality, ''), c.state, COALESCE(c.detail, ''), 0,
         count(*), sum(c.images_asked), sum(COALESCE(c.cost_micros, 0)),
         COALESCE(sum(EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                          array_agg(1) FILTER (WHERE c.state = 'succeeded'))
    FROM provider_calls c JOIN tasks t ON t.id = c.task_id
   WHERE c.state NOT IN ('started', 'submitted')
     AND NOT EXISTS (SELECT 1 FROM provider_call_hours h WHERE h.hour = date_trunc('hour', c.created_at, 'UTC') AND h.deleted <> 0)
   GROUP BY 1, 2, 3, 4, 5, 6, 7;
END $$;
