-- What was booked stays booked: mistakes are mended by a transfer in the other direction. Only the metadata of usage is emptied, with
-- that of its task.
CREATE OR REPLACE FUNCTION refuse_change_of_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'usage_records' AND TG_OP = 'UPDATE' AND to_jsonb(NEW) = to_jsonb(OLD) || '{"metadata": null}' THEN RETURN NEW; END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;
CREATE OR REPLACE TRIGGER "ledger_transfers_append_only" BEFORE UPDATE OR DELETE ON "ledger_transfers"
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
CREATE OR REPLACE TRIGGER "usage_records_append_only" BEFORE UPDATE OR DELETE ON "usage_records"
  FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
CREATE OR REPLACE TRIGGER "catalog_versions_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "catalog_versions"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_books();
