-- CreateIndex
CREATE INDEX "webhook_tests_account_id_created_at_idx" ON "webhook_tests"("account_id", "created_at" DESC);
