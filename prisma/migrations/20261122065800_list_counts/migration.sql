-- CreateTable
CREATE TABLE "task_counts" (
    "account_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "model" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "tasks" BIGINT NOT NULL DEFAULT 0,
    "completed" BIGINT NOT NULL DEFAULT 0,
    "failed" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "task_counts_pkey" PRIMARY KEY ("account_id","starts_at","model","type")
);

-- CreateTable
CREATE TABLE "usage_counts" (
    "account_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "model" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "records" BIGINT NOT NULL DEFAULT 0,
    "units" BIGINT NOT NULL DEFAULT 0,
    "cost_micros" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "usage_counts_pkey" PRIMARY KEY ("account_id","starts_at","model","api_key_id")
);

-- The rest is written by hand: the schema language has no words for it.

-- Counters of lists. The rows of an account are counted in buckets of time: a bucket reaches from its `starts_at` to the next
-- one, the first begins at -infinity. A full newest bucket is followed by one that starts after the newest row. Rows with an
-- earlier time still count in their own bucket, so the bounds of a bucket never change. Triggers keep the counters, so that no
-- statement can forget them. Every statement that reaches them holds the lock of the account's row already.
ALTER TABLE "task_counts" SET (fillfactor = 70);
ALTER TABLE "usage_counts" SET (fillfactor = 70);
ALTER TABLE "task_counts"
  ADD CONSTRAINT "task_counts_counts" CHECK (completed >= 0 AND failed >= 0 AND completed + failed <= tasks);
ALTER TABLE "usage_counts"
  ADD CONSTRAINT "usage_counts_counts" CHECK (records >= 0 AND units >= 0 AND cost_micros >= 0);

-- Rows after which the newest bucket of an account is full.
CREATE FUNCTION list_bucket_size() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 1000::bigint $$;

CREATE FUNCTION count_new_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
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
  RETURN NULL;
END $$;
CREATE TRIGGER "tasks_count_new" AFTER INSERT ON "tasks" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_tasks();

CREATE FUNCTION count_ended_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
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
  RETURN NULL;
END $$;
CREATE TRIGGER "tasks_count_ended" AFTER UPDATE ON "tasks" REFERENCING OLD TABLE AS previous NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION count_ended_tasks();

CREATE FUNCTION count_new_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH counted AS (
    INSERT INTO usage_counts AS c (account_id, starts_at, model, api_key_id, records, units, cost_micros)
    SELECT n.account_id, COALESCE(b.starts_at, '-infinity'), n.model, n.api_key_id, count(*), sum(n.units), sum(n.cost_micros)
      FROM inserted n LEFT JOIN LATERAL (
        SELECT k.starts_at FROM usage_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
         ORDER BY k.starts_at DESC LIMIT 1) b ON true
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, starts_at, model, api_key_id) DO UPDATE
       SET records = c.records + EXCLUDED.records, units = c.units + EXCLUDED.units, cost_micros = c.cost_micros + EXCLUDED.cost_micros
    RETURNING c.account_id, c.starts_at, c.model, c.api_key_id, c.records)
  INSERT INTO usage_counts (account_id, starts_at, model, api_key_id)
  SELECT DISTINCT ON (n.account_id) n.account_id,
         (SELECT max(u.created_at) + interval '1 millisecond' FROM usage_records u WHERE u.account_id = n.account_id), n.model, n.api_key_id
    FROM counted n
   WHERE n.records >= list_bucket_size()
     AND NOT EXISTS (SELECT 1 FROM usage_counts k WHERE k.account_id = n.account_id AND k.starts_at > n.starts_at)
   ORDER BY n.account_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER "usage_records_count" AFTER INSERT ON "usage_records" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_usage();

-- Counts all rows again, in one pass over each table. `rank` gives rows of one moment one rank: they share a bucket.
CREATE FUNCTION recount_lists() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM task_counts;
  INSERT INTO task_counts (account_id, starts_at, model, type, tasks, completed, failed)
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(min(created_at)) OVER (PARTITION BY account_id, bucket) END, model, type,
         count(*), count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'failed')
    FROM (SELECT account_id, created_at, model, type, status,
                 (rank() OVER (PARTITION BY account_id ORDER BY created_at) - 1) / list_bucket_size() AS bucket FROM tasks) t
   GROUP BY account_id, bucket, model, type;
  DELETE FROM usage_counts;
  INSERT INTO usage_counts (account_id, starts_at, model, api_key_id, records, units, cost_micros)
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(min(created_at)) OVER (PARTITION BY account_id, bucket) END, model, api_key_id,
         count(*), sum(units), sum(cost_micros)
    FROM (SELECT account_id, created_at, model, api_key_id, units, cost_micros,
                 (rank() OVER (PARTITION BY account_id ORDER BY created_at) - 1) / list_bucket_size() AS bucket FROM usage_records) u
   GROUP BY account_id, bucket, model, api_key_id;
END $$;
SELECT recount_lists();

-- Refunds are rare, and their sum is shown beside the usage of each day.
CREATE INDEX "ledger_transfers_refunds" ON "ledger_transfers" (account_id, created_at) WHERE kind = 'refund';
