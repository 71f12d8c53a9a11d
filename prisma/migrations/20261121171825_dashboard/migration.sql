-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "key_requests_per_minute" INTEGER,
ADD COLUMN     "max_open_tasks" INTEGER;

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "delivery_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "status" INTEGER,
    "error" TEXT,
    "ended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("delivery_id","attempt")
);

-- CreateIndex
CREATE INDEX "webhook_deliveries_account_id_created_at_id_idx" ON "webhook_deliveries"("account_id", "created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_deliveries"("id") ON DELETE CASCADE ON UPDATE CASCADE;


-- What follows is written by hand: the schema language has no words for it.
ALTER TABLE "accounts"
  ADD CONSTRAINT "accounts_limits" CHECK (max_open_tasks > 0 AND key_requests_per_minute > 0);
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_attempt" CHECK (attempt > 0);
