-- Processes of 0.3.0 end before this is applied. One that starts all the same finds what it needs under another name.
ALTER TABLE "tasks" RENAME COLUMN "clean_attempt" TO "tidy_attempt";
ALTER TABLE "accounts" RENAME COLUMN "webhook_secret_previous_until" TO "webhook_secret_overlap_until";
ALTER TABLE "provider_checks" RENAME COLUMN "nonce" TO "seal_nonce";

-- A process of 0.3.0 that starts after the upgrade fails at what it does first: it claims, ends, sends and checks nothing. These columns
-- have other names since then, and PostgreSQL takes t.clean_attempt for a call of clean_attempt(t) where the table has no such column.
CREATE OR REPLACE FUNCTION clean_attempt(tasks) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'this database belongs to 0.4.0: end this process of 0.3.0' USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;
CREATE OR REPLACE FUNCTION webhook_secret_previous_until(accounts) RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'this database belongs to 0.4.0: end this process of 0.3.0' USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;
CREATE OR REPLACE FUNCTION nonce(provider_checks) RETURNS bytea LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'this database belongs to 0.4.0: end this process of 0.3.0' USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;

-- A submit of 0.3.0 names the version of the catalog and does not say which release it is. The name of the constraint is what it is told.
-- Tasks that are there are those of 0.3.0: a constant default is written into no row.
ALTER TABLE "tasks" ADD COLUMN "accepted_by" SMALLINT DEFAULT 3;
ALTER TABLE "tasks" ALTER COLUMN "accepted_by" DROP DEFAULT,
  ADD CONSTRAINT "this database belongs to 0.4.0" CHECK ("catalog_version" IS NULL OR "accepted_by" IS NOT NULL) NOT VALID;
