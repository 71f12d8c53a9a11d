-- What was booked stays booked: mistakes are mended by a transfer in the other direction.
CREATE OR REPLACE FUNCTION refuse_change_of_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;
CREATE OR REPLACE TRIGGER "ledger_transfers_append_only" BEFORE UPDATE OR DELETE ON "ledger_transfers"
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
CREATE OR REPLACE TRIGGER "usage_records_append_only" BEFORE DELETE ON "usage_records"
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
-- Metadata is emptied with the task.
CREATE OR REPLACE TRIGGER "usage_records_unchanged" BEFORE UPDATE ON "usage_records"
  FOR EACH ROW WHEN (NEW.metadata IS NOT NULL OR (to_jsonb(NEW) - 'metadata') IS DISTINCT FROM (to_jsonb(OLD) - 'metadata'))
  EXECUTE FUNCTION refuse_change_of_books();
CREATE OR REPLACE TRIGGER "catalog_versions_append_only" BEFORE UPDATE OR DELETE ON "catalog_versions"
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
CREATE OR REPLACE TRIGGER "catalog_versions_no_truncate" BEFORE TRUNCATE ON "catalog_versions"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_books();
