-- Writers of tasks wait for the new functions.
LOCK TABLE "tasks" IN SHARE ROW EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "cap_per_key" TEXT,
ADD COLUMN     "cap_per_micros" BIGINT;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "cap_value" BYTEA;

-- CreateTable
CREATE TABLE "key_value_spend" (
    "account_id" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "value" BYTEA NOT NULL,
    "day" DATE NOT NULL,
    "held_micros" BIGINT NOT NULL DEFAULT 0,
    "spent_micros" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "key_value_spend_pkey" PRIMARY KEY ("account_id","api_key_id","value","day")
);

-- CreateIndex
CREATE INDEX "key_value_spend_day_idx" ON "key_value_spend"("day");

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_cap_per" CHECK ((cap_per_key IS NULL) = (cap_per_micros IS NULL) AND cap_per_micros > 0);
ALTER TABLE "key_value_spend" ADD CONSTRAINT "key_value_spend_not_negative" CHECK (held_micros >= 0 AND spent_micros >= 0);

CREATE OR REPLACE FUNCTION sum_value_spend(account text, key text, of_value bytea) RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT COALESCE(sum(s.held_micros + s.spent_micros), 0) FROM key_value_spend s
           WHERE s.account_id = account AND s.api_key_id = key AND s.value = of_value
             AND s.day = (now()::timestamptz(3) AT TIME ZONE 'UTC')::date);
END $$;

CREATE OR REPLACE FUNCTION count_new_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_full boolean;
BEGIN
  WITH counted AS (
    INSERT INTO task_counts AS c (account_id, starts_at, model, type, tasks, completed, failed)
    SELECT n.account_id, COALESCE(b.starts_at, '-infinity'), n.model, n.type, sum(n.tasks), sum(n.completed), sum(n.failed)
      FROM (SELECT account_id, created_at, model, type, count(*) AS tasks, count(*) FILTER (WHERE status = 'completed') AS completed,
                   count(*) FILTER (WHERE status = 'failed') AS failed FROM inserted GROUP BY 1, 2, 3, 4) n
      LEFT JOIN LATERAL (
        SELECT k.starts_at FROM task_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
         ORDER BY k.starts_at DESC LIMIT 1) b ON true
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, starts_at, model, type) DO UPDATE
       SET tasks = c.tasks + EXCLUDED.tasks, completed = c.completed + EXCLUDED.completed, failed = c.failed + EXCLUDED.failed
    RETURNING c.tasks)
  SELECT max(tasks) >= list_bucket_size() INTO is_full FROM counted;
  IF is_full THEN
    INSERT INTO task_counts (account_id, starts_at, model, type)
    SELECT n.account_id, (SELECT max(t.created_at) + interval '1 millisecond' FROM tasks t WHERE t.account_id = n.account_id), n.model, n.type
      FROM (SELECT DISTINCT ON (account_id) account_id, model, type FROM inserted ORDER BY account_id) n
     WHERE EXISTS (SELECT FROM task_counts c
                    WHERE c.account_id = n.account_id AND c.tasks >= list_bucket_size()
                      AND NOT EXISTS (SELECT FROM task_counts k WHERE k.account_id = c.account_id AND k.starts_at > c.starts_at))
    ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO key_spend AS s (account_id, api_key_id, day, held_micros, spent_micros)
  SELECT account_id, api_key_id, (created_at AT TIME ZONE 'UTC')::date,
         sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END), sum(cost_micros)
    FROM inserted WHERE api_key_id <> 'key_playground' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (account_id, api_key_id, day) DO UPDATE
     SET held_micros = s.held_micros + EXCLUDED.held_micros, spent_micros = s.spent_micros + EXCLUDED.spent_micros;
  IF EXISTS (SELECT FROM inserted WHERE cap_value IS NOT NULL) THEN
    INSERT INTO key_value_spend AS s (account_id, api_key_id, value, day, held_micros, spent_micros)
    SELECT account_id, api_key_id, cap_value, (created_at AT TIME ZONE 'UTC')::date,
           sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END), sum(cost_micros)
      FROM inserted WHERE cap_value IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, api_key_id, value, day) DO UPDATE
       SET held_micros = s.held_micros + EXCLUDED.held_micros, spent_micros = s.spent_micros + EXCLUDED.spent_micros;
  END IF;
  IF EXISTS (SELECT FROM inserted WHERE webhook_url IS NOT NULL) THEN
    UPDATE accounts c SET webhook_count = c.webhook_count + n.tasks
      FROM (SELECT account_id, count(webhook_url) AS tasks FROM inserted GROUP BY account_id) n
     WHERE n.tasks > 0 AND c.id = n.account_id AND c.id = ANY (ARRAY(SELECT account_id FROM inserted WHERE webhook_url IS NOT NULL));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_ended_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM updated WHERE status <> 'pending') THEN RETURN NULL; END IF;
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

CREATE OR REPLACE FUNCTION recount_key_spend() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM key_spend;
  INSERT INTO key_spend (account_id, api_key_id, day, held_micros, spent_micros, is_newest, month_before_micros, total_before_micros)
  SELECT d.account_id, d.api_key_id, d.day, d.held, d.spent, lead(d.day) OVER days IS NULL,
         COALESCE(sum(d.held + d.spent) OVER (PARTITION BY d.account_id, d.api_key_id, date_trunc('month', d.day::timestamp) ORDER BY d.day
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
         COALESCE(sum(d.held + d.spent) OVER (days ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
    FROM (SELECT account_id, api_key_id, (created_at AT TIME ZONE 'UTC')::date AS day,
                 sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END) AS held, sum(cost_micros) AS spent
            FROM tasks WHERE api_key_id <> 'key_playground' GROUP BY 1, 2, 3) d
  WINDOW days AS (PARTITION BY d.account_id, d.api_key_id ORDER BY d.day);
  DELETE FROM key_value_spend;
  INSERT INTO key_value_spend (account_id, api_key_id, value, day, held_micros, spent_micros)
  SELECT account_id, api_key_id, cap_value, (created_at AT TIME ZONE 'UTC')::date,
         sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END), sum(cost_micros)
    FROM tasks WHERE cap_value IS NOT NULL AND created_at >= date_trunc('day', now(), 'UTC') - interval '1 day' GROUP BY 1, 2, 3, 4;
END $$;
