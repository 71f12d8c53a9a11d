-- One snapshot for the trigger and for the counts that it begins with: no task ends in between.
LOCK TABLE "accounts", "tasks" IN SHARE ROW EXCLUSIVE MODE;

-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "failed_tasks_seconds" INTEGER,
ADD COLUMN     "max_failed_tasks" INTEGER,
ADD COLUMN     "requests_seconds" INTEGER NOT NULL DEFAULT 60;

-- CreateTable
CREATE TABLE "failed_task_counts" (
    "account_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "total" BIGINT NOT NULL,

    CONSTRAINT "failed_task_counts_pkey" PRIMARY KEY ("account_id","starts_at")
);

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "accounts"
  ADD CONSTRAINT "accounts_request_rate" CHECK (requests_seconds > 0),
  ADD CONSTRAINT "accounts_failed_task_rate"
      CHECK ((max_failed_tasks IS NULL) = (failed_tasks_seconds IS NULL) AND max_failed_tasks > 0 AND failed_tasks_seconds > 0);
ALTER TABLE "failed_task_counts" SET (fillfactor = 70);

-- Whether a task with this reason failed because of its request: moderation, refused input, an input image that can't be used.
-- The reasons stand in packages/shared/src/contract/reasons.ts; a test compares both.
CREATE FUNCTION is_caller_failure(error text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(error IN ('The request was rejected by content moderation.', 'The upstream provider refused the input.')
                  OR error ~ '^image_urls\[[0-9]+\]: ', false)
$$;

-- As before, and beside it the running total of the tasks of an account that failed because of their requests, by second. The
-- difference of two totals is the number of a window, however long, so that a submit reads two rows. Every statement that
-- ends a task holds the lock of the account's row. Rows that no window can reach are removed, except the one that windows begin with.
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

-- Counts all failed tasks again, in one pass.
CREATE FUNCTION recount_failed_tasks() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM failed_task_counts;
  INSERT INTO failed_task_counts (account_id, starts_at, total)
  SELECT account_id, starts_at, sum(tasks) OVER (PARTITION BY account_id ORDER BY starts_at)
    FROM (SELECT account_id, GREATEST(date_trunc('second', completed_at), now() - interval '1000000 seconds') AS starts_at, count(*) AS tasks
            FROM tasks WHERE status = 'failed' AND is_caller_failure(error) GROUP BY 1, 2) t;
END $$;
SELECT recount_failed_tasks();
