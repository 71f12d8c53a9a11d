-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "metadata" JSONB;

-- AlterTable
ALTER TABLE "usage_records" ADD COLUMN     "metadata" JSONB;

-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "erase_metadata" BOOLEAN NOT NULL DEFAULT false;

-- The rest is written by hand: the schema language has no words for it.

-- The body of an event without the metadata of its task, and without one value of it; all else keeps its bytes.
CREATE OR REPLACE FUNCTION without_metadata(body text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT '{' || string_agg(to_json(e.key)::text || ':' || CASE e.key WHEN 'data' THEN d.data ELSE e.value::text END, ',' ORDER BY e.place) || '}'
    FROM json_each(body::json) WITH ORDINALITY e(key, value, place)
    LEFT JOIN LATERAL (
      SELECT '{' || string_agg(to_json(f.key)::text || ':' || f.value::text, ',' ORDER BY f.place) || '}' AS data
        FROM json_each(CASE e.key WHEN 'data' THEN e.value END) WITH ORDINALITY f(key, value, place) WHERE f.key NOT IN ('metadata', 'value')) d ON true
$$;

-- The event of an erased task is sent as it is while it waits, and loses the metadata when it has ended.
CREATE OR REPLACE FUNCTION erase_metadata_of_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.body := without_metadata(NEW.body);
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER "webhook_deliveries_erase" BEFORE UPDATE ON "webhook_deliveries"
  FOR EACH ROW WHEN (NEW.erase_metadata AND NEW.state IN ('delivered', 'failed')) EXECUTE FUNCTION erase_metadata_of_delivery();

CREATE OR REPLACE FUNCTION refuse_change_of_finished_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_erased boolean := OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL;
  is_deleted boolean := OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL;
  changed text[] := ARRAY['idem_key', 'idem_fingerprint', 'idem_added'];
BEGIN
  IF is_erased THEN
    changed := changed || ARRAY['erased_at', 'prompt', 'negative_prompt', 'image_urls', 'mask', 'wishes', 'metadata'];
    NEW.mask := NULL;
    NEW.wishes := NULL;
    IF OLD.metadata IS NOT NULL THEN
      NEW.metadata := NULL;
      UPDATE usage_records u SET metadata = NULL WHERE u.task_id = NEW.id AND u.metadata IS NOT NULL;
      UPDATE webhook_deliveries w SET erase_metadata = true WHERE w.task_id = NEW.id;
    END IF;
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

CREATE OR REPLACE TRIGGER "usage_records_append_only" BEFORE DELETE ON "usage_records"
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
-- Metadata is emptied with the task.
CREATE OR REPLACE TRIGGER "usage_records_unchanged" BEFORE UPDATE ON "usage_records"
  FOR EACH ROW WHEN (NEW.metadata IS NOT NULL OR (to_jsonb(NEW) - 'metadata') IS DISTINCT FROM (to_jsonb(OLD) - 'metadata'))
  EXECUTE FUNCTION refuse_change_of_books();

-- Workers of 0.1.0 and 0.2.0 record usage without the metadata of the task.
CREATE OR REPLACE FUNCTION copy_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.metadata := (SELECT t.metadata FROM tasks t WHERE t.id = NEW.task_id);
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER "usage_records_metadata" BEFORE INSERT ON "usage_records"
  FOR EACH ROW WHEN (NEW.metadata IS NULL) EXECUTE FUNCTION copy_metadata();
