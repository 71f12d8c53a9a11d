-- Old calls and webhook attempts are deleted oldest first. Vacuum frees their pages and new rows fill these, so a BRIN index
-- would soon span all times in every range and be read from end to end.
DROP INDEX "provider_calls_created_at_idx";
CREATE INDEX "provider_calls_created_at_idx" ON "provider_calls"("created_at");
CREATE INDEX "webhook_attempts_ended_at_idx" ON "webhook_attempts"("ended_at");

-- A task is changed five times and then never again. By default vacuum waits until a fifth of a table is dead. Of ten million tasks these are
-- two million, and every look for due work steps over their entries in the partial indexes. A few thousand dead rows are enough.
ALTER TABLE "tasks" SET (autovacuum_vacuum_scale_factor = 0.005, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE "webhook_deliveries" SET (autovacuum_vacuum_scale_factor = 0.005, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE "provider_calls" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
ALTER TABLE "webhook_attempts" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
-- Few rows that nearly every statement changes: free room in the page keeps a change within it and out of the indexes.
ALTER TABLE "accounts" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
