ALTER TABLE "accounts" ADD COLUMN "max_requests" INTEGER;

-- The rest is written by hand: the schema language has no words for it.

UPDATE "accounts" SET max_requests = key_requests_per_minute WHERE key_requests_per_minute IS NOT NULL;
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_max_requests" CHECK (max_requests > 0);

-- Processes of 0.1.0 and 0.2.0 read and write the number of an account's requests under its former name.
CREATE FUNCTION copy_max_requests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.max_requests IS DISTINCT FROM OLD.max_requests THEN
    NEW.key_requests_per_minute := NEW.max_requests;
  ELSE
    NEW.max_requests := NEW.key_requests_per_minute;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER "accounts_max_requests" BEFORE UPDATE OF key_requests_per_minute, max_requests ON "accounts"
  FOR EACH ROW EXECUTE FUNCTION copy_max_requests();
