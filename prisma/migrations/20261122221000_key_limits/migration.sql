-- One snapshot for the triggers and for the sums that they begin with: no task is added or ends in between.
LOCK TABLE "accounts", "tasks" IN SHARE ROW EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "allowed_cidrs" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "cap_day_micros" BIGINT,
ADD COLUMN     "cap_month_micros" BIGINT,
ADD COLUMN     "cap_total_micros" BIGINT,
ADD COLUMN     "models" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "scopes" TEXT[] DEFAULT ARRAY['generate', 'read']::TEXT[];

-- CreateTable
CREATE TABLE "key_spend" (
    "account_id" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "held_micros" BIGINT NOT NULL DEFAULT 0,
    "spent_micros" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "key_spend_pkey" PRIMARY KEY ("account_id","api_key_id","day")
);

-- The rest is written by hand: the schema language has no words for it.

-- Empty lists of models and networks, and caps without a value, limit nothing.
ALTER TABLE "api_keys"
  ALTER COLUMN "allowed_cidrs" SET NOT NULL, ALTER COLUMN "models" SET NOT NULL, ALTER COLUMN "scopes" SET NOT NULL,
  ADD CONSTRAINT "api_keys_scopes" CHECK (scopes <@ ARRAY['generate', 'read', 'delete'] AND cardinality(scopes) > 0),
  ADD CONSTRAINT "api_keys_caps" CHECK (cap_day_micros > 0 AND cap_month_micros > 0 AND cap_total_micros > 0);

-- What the tasks of a key hold and have cost, by the UTC day of their submit. Triggers keep it, in the statements that insert and
-- end tasks: these hold the lock of the account's row, so nothing else of a key changes meanwhile. The playground is no key.
ALTER TABLE "key_spend" SET (fillfactor = 70);
ALTER TABLE "key_spend" ADD CONSTRAINT "key_spend_amounts" CHECK (held_micros >= 0 AND spent_micros >= 0);

-- What a key has spent and reserved today, this month and, where `whole`, altogether. A volatile function, because each of its
-- statements has a snapshot of its own: after the lock of the account it sees all that earlier holders of the lock did.
CREATE FUNCTION sum_key_spend(account text, key text, whole boolean, OUT day_micros int8, OUT month_micros int8, OUT total_micros int8)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  today date := (now()::timestamptz(3) AT TIME ZONE 'UTC')::date;
  month date := date_trunc('month', today::timestamp)::date;
BEGIN
  SELECT COALESCE(sum(s.held_micros + s.spent_micros) FILTER (WHERE s.day = today), 0),
         COALESCE(sum(s.held_micros + s.spent_micros) FILTER (WHERE s.day >= month), 0),
         COALESCE(sum(s.held_micros + s.spent_micros), 0)
    INTO day_micros, month_micros, total_micros
    FROM key_spend s
   WHERE s.account_id = account AND s.api_key_id = key AND (whole OR s.day >= month);
END $$;

-- As before, and beside it what the tasks of each key hold.
CREATE OR REPLACE FUNCTION count_new_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH counted AS (
    INSERT INTO task_counts AS c (account_id, starts_at, model, type, tasks, completed, failed)
    SELECT n.account_id, COALESCE(b.starts_at, '-infinity'), n.model, n.type, count(*),
           count(*) FILTER (WHERE n.status = 'completed'), count(*) FILTER (WHERE n.status = 'failed')
      FROM inserted n LEFT JOIN LATERAL (
        SELECT k.starts_at FROM task_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
         ORDER BY k.starts_at DESC LIMIT 1) b ON true
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, starts_at, model, type) DO UPDATE
       SET tasks = c.tasks + EXCLUDED.tasks, completed = c.completed + EXCLUDED.completed, failed = c.failed + EXCLUDED.failed
    RETURNING c.account_id, c.starts_at, c.model, c.type, c.tasks)
  INSERT INTO task_counts (account_id, starts_at, model, type)
  SELECT DISTINCT ON (n.account_id) n.account_id,
         (SELECT max(t.created_at) + interval '1 millisecond' FROM tasks t WHERE t.account_id = n.account_id), n.model, n.type
    FROM counted n
   WHERE n.tasks >= list_bucket_size()
     AND NOT EXISTS (SELECT 1 FROM task_counts k WHERE k.account_id = n.account_id AND k.starts_at > n.starts_at)
   ORDER BY n.account_id
  ON CONFLICT DO NOTHING;
  INSERT INTO key_spend AS s (account_id, api_key_id, day, held_micros, spent_micros)
  SELECT account_id, api_key_id, (created_at AT TIME ZONE 'UTC')::date,
         sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END), sum(cost_micros)
    FROM inserted WHERE api_key_id <> 'key_playground' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (account_id, api_key_id, day) DO UPDATE
     SET held_micros = s.held_micros + EXCLUDED.held_micros, spent_micros = s.spent_micros + EXCLUDED.spent_micros;
  RETURN NULL;
END $$;

-- As before, and beside it what the tasks of each key have cost and no longer hold.
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
  IF NOT EXISTS (SELECT 1 FROM updated n WHERE n.status = 'failed') THEN RETURN NULL; END IF;
  INSERT INTO failed_task_days AS d (account_id, day, failed)
  SELECT n.account_id, (n.completed_at AT TIME ZONE 'UTC')::date, count(*) FROM updated n JOIN previous o ON o.id = n.id
   WHERE o.status = 'pending' AND n.status = 'failed' GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, day) DO UPDATE SET failed = d.failed + EXCLUDED.failed;
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

-- Sums up all tasks again, in one pass.
CREATE FUNCTION recount_key_spend() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM key_spend;
  INSERT INTO key_spend (account_id, api_key_id, day, held_micros, spent_micros)
  SELECT account_id, api_key_id, (created_at AT TIME ZONE 'UTC')::date,
         sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END), sum(cost_micros)
    FROM tasks WHERE api_key_id <> 'key_playground' GROUP BY 1, 2, 3;
END $$;
SELECT recount_key_spend();
