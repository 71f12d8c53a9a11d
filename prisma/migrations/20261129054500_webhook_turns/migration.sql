-- With a collation of their own no index of an account's history gives their order. Where most webhooks waited at the last ANALYZE,
-- PostgreSQL took that one for each receiver, and read all webhooks of the account.
DROP INDEX "webhook_deliveries_turns";
CREATE INDEX "webhook_deliveries_turns" ON "webhook_deliveries" ("account_id" COLLATE "C", "next_attempt_at")
  WHERE "state" = 'pending' AND "attempt" >= 0;
DROP INDEX "webhook_deliveries_receivers";
CREATE INDEX "webhook_deliveries_receivers" ON "webhook_deliveries" ("account_id" COLLATE "C", "host_port", "next_attempt_at")
  WHERE "state" = 'pending' AND "lease_until" IS NULL;
