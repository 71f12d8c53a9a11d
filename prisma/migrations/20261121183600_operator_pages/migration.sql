-- CreateIndex
CREATE INDEX "usage_records_created_at_idx" ON "usage_records" USING BRIN ("created_at");

-- CreateIndex
CREATE INDEX "usage_daily_day_idx" ON "usage_daily"("day");

-- What follows is written by hand: the schema language has no words for it.
-- What failed lately, for the pages of operators; small, since most tasks and webhooks do not fail.
CREATE INDEX "tasks_failed" ON "tasks" (completed_at) WHERE status = 'failed';
CREATE INDEX "webhook_deliveries_failed" ON "webhook_deliveries" (created_at) WHERE state = 'failed';
