-- What processes of earlier releases need beside those of this one. Release 0.5.0 removes it: it no longer runs beside 0.2.0.

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
