-- What is here for processes of the release before, and nothing else.

-- @until 0.5.0 A process of 0.3.0 that starts after the upgrade fails at what it does first: it claims, ends, sends and checks nothing.
-- These columns
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
