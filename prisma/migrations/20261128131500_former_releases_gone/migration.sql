-- What processes of 0.1.0 and 0.2.0 needed. None of them runs on a database of this release, and no build of it reads what goes.
DROP TRIGGER "accounts_max_requests" ON "accounts";
DROP TRIGGER "tasks_failure" ON "tasks";
DROP TRIGGER "usage_records_metadata" ON "usage_records";
DROP FUNCTION copy_max_requests();
DROP FUNCTION set_failure();
DROP FUNCTION copy_metadata();
DROP VIEW "failed_task_days", "failed_delivery_days", "model_cost_hours";

-- The check named the column as well.
ALTER TABLE "accounts" DROP CONSTRAINT "accounts_limits",
  DROP COLUMN "key_requests_per_minute",
  ADD CONSTRAINT "accounts_limits" CHECK (max_open_tasks > 0);
