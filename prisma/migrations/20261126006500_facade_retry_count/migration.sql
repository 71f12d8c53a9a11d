-- Highest count of a repetition that waits or waited for the task. The default lets the previous release insert rows.
ALTER TABLE "facade_requests" ADD COLUMN "retry_count" INTEGER NOT NULL DEFAULT 0;
