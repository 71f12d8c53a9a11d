-- AlterTable
ALTER TABLE "facade_requests" ADD COLUMN     "added" BYTEA;

-- AlterTable
ALTER TABLE "task_outputs" ADD COLUMN     "quality" TEXT,
ADD COLUMN     "revised_prompt" TEXT,
ADD COLUMN     "seed" BIGINT;

-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "background" TEXT,
ADD COLUMN     "idem_added" BYTEA,
ADD COLUMN     "mask" TEXT,
ADD COLUMN     "output_format" TEXT,
ADD COLUMN     "quality" TEXT,
ADD COLUMN     "seed" BIGINT,
ADD COLUMN     "shape_from_input" BOOLEAN,
ADD COLUMN     "unused" TEXT[],
ADD COLUMN     "wishes" JSONB;

-- The rest is written by hand: the schema language has no words for it.

-- A finished task never changes again. Its idempotency key may be cleared, when it has expired. It may be erased once and deleted
-- once, which the check above completes. What earlier releases do not know is emptied here, since they erase too.
CREATE OR REPLACE FUNCTION refuse_change_of_finished_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_erased boolean := OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL;
  is_deleted boolean := OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL;
  changed text[] := ARRAY['idem_key', 'idem_fingerprint', 'idem_added'];
BEGIN
  IF is_erased THEN
    changed := changed || ARRAY['erased_at', 'prompt', 'negative_prompt', 'image_urls', 'mask', 'wishes'];
    NEW.mask := NULL;
    NEW.wishes := NULL;
    UPDATE task_outputs o SET revised_prompt = NULL WHERE o.task_id = NEW.id AND o.revised_prompt IS NOT NULL;
  END IF;
  IF is_deleted THEN changed := changed || ARRAY['deleted_at']; END IF;
  IF NEW.idem_key IS NULL THEN
    NEW.idem_added := NULL;
  END IF;
  IF (NEW.idem_key IS NULL OR ((is_erased OR is_deleted) AND NEW.idem_key = OLD.idem_key AND NEW.idem_fingerprint = OLD.idem_fingerprint
                                AND NEW.idem_added IS NOT DISTINCT FROM OLD.idem_added))
     AND (to_jsonb(NEW) - changed) = (to_jsonb(OLD) - changed) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'task % is finished and cannot change', OLD.id USING ERRCODE = 'check_violation';
END $$;
