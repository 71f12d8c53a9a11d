-- CreateTable
CREATE TABLE "webhook_tests" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "slot" INTEGER NOT NULL,
    "url" TEXT NOT NULL,
    "host_port" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "status" INTEGER,
    "error" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_tests_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_tests_created_at_idx" ON "webhook_tests"("created_at");

-- AddForeignKey
ALTER TABLE "webhook_tests" ADD CONSTRAINT "webhook_tests_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "webhook_tests"
  ADD CONSTRAINT "webhook_tests_state" CHECK (state IN ('pending', 'sending', 'delivered', 'failed')),
  ADD CONSTRAINT "webhook_tests_slot" CHECK (slot BETWEEN 1 AND 5),
  ADD CONSTRAINT "webhook_tests_lease" CHECK ((state = 'sending') = (lease_until IS NOT NULL)),
  ADD CONSTRAINT "webhook_tests_end" CHECK ((state IN ('delivered', 'failed')) = (ended_at IS NOT NULL));

-- An account has at most five test events that have not ended: each holds one of five slots.
CREATE UNIQUE INDEX "webhook_tests_open_slot" ON "webhook_tests" (account_id, slot) WHERE state IN ('pending', 'sending');
-- Test events that may be due, oldest first.
CREATE INDEX "webhook_tests_open" ON "webhook_tests" (created_at) WHERE state IN ('pending', 'sending');
