-- One snapshot for the triggers and for the counts that they begin with: nothing ends in between.
LOCK TABLE "accounts", "tasks", "webhook_deliveries" IN SHARE ROW EXCLUSIVE MODE;

-- CreateTable
CREATE TABLE "failed_task_days" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "failed" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "failed_task_days_pkey" PRIMARY KEY ("account_id","day")
);

-- CreateTable
CREATE TABLE "failed_delivery_days" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "failed" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "failed_delivery_days_pkey" PRIMARY KEY ("account_id","day")
);

-- CreateIndex
CREATE INDEX "failed_task_days_day_idx" ON "failed_task_days"("day");

-- CreateIndex
CREATE INDEX "failed_delivery_days_day_idx" ON "failed_delivery_days"("day");

-- CreateIndex
CREATE INDEX "audit_entries_subject_created_at_idx" ON "audit_entries"("subject", "created_at");

-- The rest is written by hand: the schema language has no words for it.

-- Tasks and webhooks that failed on a day in UTC, for the pages of operators. Rows are per account: statements that end tasks
-- hold its lock, and those that end webhooks lock these rows last, in the order of accounts. A webhook counts each time that it is given up.
ALTER TABLE "failed_task_days" SET (fillfactor = 70);
ALTER TABLE "failed_delivery_days" SET (fillfactor = 70);
ALTER TABLE "failed_task_days" ADD CONSTRAINT "failed_task_days_count" CHECK (failed >= 0);
ALTER TABLE "failed_delivery_days" ADD CONSTRAINT "failed_delivery_days_count" CHECK (failed >= 0);

CREATE FUNCTION count_failed_new_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO failed_task_days AS d (account_id, day, failed)
  SELECT account_id, (completed_at AT TIME ZONE 'UTC')::date, count(*) FROM inserted WHERE status = 'failed' GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, day) DO UPDATE SET failed = d.failed + EXCLUDED.failed;
  RETURN NULL;
END $$;
CREATE TRIGGER "tasks_count_failed_new" AFTER INSERT ON "tasks" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_failed_new_tasks();

-- As before, and beside it the tasks that failed by day.
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

CREATE FUNCTION count_failed_new_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO failed_delivery_days AS d (account_id, day, failed)
  SELECT account_id, (now() AT TIME ZONE 'UTC')::date, count(*) FROM inserted WHERE state = 'failed' GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, day) DO UPDATE SET failed = d.failed + EXCLUDED.failed;
  RETURN NULL;
END $$;
-- After the counters by name, which are locked first.
CREATE TRIGGER "webhook_deliveries_failed_new" AFTER INSERT ON "webhook_deliveries" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_failed_new_deliveries();

-- As before, and beside it the webhooks that were given up by day.
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
  INSERT INTO failed_delivery_days AS d (account_id, day, failed)
  SELECT n.account_id, (now() AT TIME ZONE 'UTC')::date, count(*) FROM updated n JOIN previous o ON o.id = n.id
   WHERE n.state = 'failed' AND o.state <> 'failed' GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, day) DO UPDATE SET failed = d.failed + EXCLUDED.failed;
  RETURN NULL;
END $$;

-- Counts all failed tasks and webhooks again, in one pass over each.
CREATE FUNCTION recount_failed_days() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM failed_task_days;
  INSERT INTO failed_task_days (account_id, day, failed)
  SELECT account_id, (completed_at AT TIME ZONE 'UTC')::date, count(*) FROM tasks WHERE status = 'failed' GROUP BY 1, 2;
  DELETE FROM failed_delivery_days;
  INSERT INTO failed_delivery_days (account_id, day, failed)
  SELECT w.account_id, (COALESCE((SELECT max(x.ended_at) FROM webhook_attempts x WHERE x.delivery_id = w.id), w.created_at) AT TIME ZONE 'UTC')::date, count(*)
    FROM webhook_deliveries w WHERE w.state = 'failed' GROUP BY 1, 2;
END $$;
SELECT recount_failed_days();
