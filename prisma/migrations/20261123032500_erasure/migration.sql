-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "erased_count" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "erased_at" TIMESTAMPTZ(3);

-- The rest is written by hand: the schema language has no words for it.

-- An erased task has lost its texts and its input URLs. One that its owner deleted is in no list either. NOT VALID: no row of
-- today can break these, and a check of all rows would hold up submits.
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_erased_count" CHECK (erased_count >= 0) NOT VALID;
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_erased" CHECK (
  (erased_at IS NULL OR (status <> 'pending' AND prompt = '' AND negative_prompt IS NULL AND image_urls = '{}'))
  AND (deleted_at IS NULL OR erased_at IS NOT NULL)) NOT VALID;

-- A finished task never changes again. Its idempotency key may be cleared, when it has expired. It may be erased once and deleted
-- once, which the check above completes.
CREATE OR REPLACE FUNCTION refuse_change_of_finished_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_erased boolean := OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL;
  is_deleted boolean := OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL;
  changed text[] := ARRAY['idem_key', 'idem_fingerprint'];
BEGIN
  IF is_erased THEN changed := changed || ARRAY['erased_at', 'prompt', 'negative_prompt', 'image_urls']; END IF;
  IF is_deleted THEN changed := changed || ARRAY['deleted_at']; END IF;
  IF (NEW.idem_key IS NULL OR ((is_erased OR is_deleted) AND NEW.idem_key = OLD.idem_key AND NEW.idem_fingerprint = OLD.idem_fingerprint))
     AND (to_jsonb(NEW) - changed) = (to_jsonb(OLD) - changed) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'task % is finished and cannot change', OLD.id USING ERRCODE = 'check_violation';
END $$;

-- As before, without deleted tasks.
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
  INSERT INTO usage_counts (account_id, starts_at, model, api_key_id, records, units, cost_micros)
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(min(created_at)) OVER (PARTITION BY account_id, bucket) END, model, api_key_id,
         count(*), sum(units), sum(cost_micros)
    FROM (SELECT account_id, created_at, model, api_key_id, units, cost_micros,
                 (rank() OVER (PARTITION BY account_id ORDER BY created_at) - 1) / list_bucket_size() AS bucket FROM usage_records) u
   GROUP BY account_id, bucket, model, api_key_id;
END $$;
