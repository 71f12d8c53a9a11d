-- What is here for processes of earlier releases. Release 0.5.0 removes it.

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

-- Processes of 0.1.0 and 0.2.0 read and write the number of an account's requests under its former name.
CREATE OR REPLACE FUNCTION copy_max_requests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.max_requests IS DISTINCT FROM OLD.max_requests THEN
    NEW.key_requests_per_minute := NEW.max_requests;
  ELSE
    NEW.max_requests := NEW.key_requests_per_minute;
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER "accounts_max_requests" BEFORE UPDATE OF key_requests_per_minute, max_requests ON "accounts"
  FOR EACH ROW EXECUTE FUNCTION copy_max_requests();

-- Pages of 0.2.0 read today's failures and the costs of models from tables of their own.
CREATE OR REPLACE VIEW failed_task_days AS
SELECT (hour AT TIME ZONE 'UTC')::date AS day, sum(failed) AS failed FROM task_hours WHERE hour >= date_trunc('day', now(), 'UTC') GROUP BY 1;
CREATE OR REPLACE VIEW failed_delivery_days AS
SELECT (hour AT TIME ZONE 'UTC')::date AS day, sum(failed_webhooks) AS failed FROM task_hours WHERE hour >= date_trunc('day', now(), 'UTC') GROUP BY 1;
CREATE OR REPLACE VIEW model_cost_hours AS
SELECT hour, public_model AS model, lane, cost_micros FROM provider_call_hours WHERE state <> 'rate_limited' AND public_model <> '' AND cost_micros <> 0;

-- Workers of 0.1.0 and 0.2.0 end a task with a text alone.
CREATE OR REPLACE FUNCTION set_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.failure := CASE
    WHEN NEW.error = 'The request was rejected by content moderation.' THEN 'moderation'
    WHEN NEW.error = 'The upstream provider refused the input.' THEN 'refused_input'
    WHEN NEW.error = 'The upstream provider failed.' THEN 'upstream'
    WHEN NEW.error = 'The task was not finished in time.' THEN 'deadline'
    WHEN NEW.error = 'The task was canceled.' THEN 'canceled'
    WHEN NEW.error = 'An internal error occurred.' THEN 'internal'
    WHEN NEW.error ~ '^image_urls\[[0-9]+\]: ' THEN 'input_image'
    ELSE 'operator' END;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER "tasks_failure" BEFORE UPDATE ON "tasks"
  FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'failed' AND NEW.failure IS NULL) EXECUTE FUNCTION set_failure();

-- Workers of 0.1.0 and 0.2.0 record usage without the metadata of the task.
CREATE OR REPLACE FUNCTION copy_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.metadata := (SELECT t.metadata FROM tasks t WHERE t.id = NEW.task_id);
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER "usage_records_metadata" BEFORE INSERT ON "usage_records"
  FOR EACH ROW WHEN (NEW.metadata IS NULL) EXECUTE FUNCTION copy_metadata();
