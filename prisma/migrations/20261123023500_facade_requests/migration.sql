-- CreateTable
CREATE TABLE "facade_requests" (
    "task_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "api_key_id" TEXT NOT NULL,
    "fingerprint" BYTEA NOT NULL,
    "request_id" TEXT NOT NULL,
    "process_id" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "takeovers" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "facade_requests_pkey" PRIMARY KEY ("task_id")
);

-- CreateTable
CREATE TABLE "facade_processes" (
    "id" TEXT NOT NULL,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "facade_processes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "facade_requests_api_key_id_fingerprint_idx" ON "facade_requests"("api_key_id", "fingerprint");

-- CreateIndex
CREATE INDEX "facade_requests_state_changed_at_idx" ON "facade_requests"("state", "changed_at");

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "facade_requests"
  ADD CONSTRAINT "facade_requests_state" CHECK (state IN ('waiting', 'delivered', 'abandoned')),
  ADD CONSTRAINT "facade_requests_fingerprint" CHECK (octet_length(fingerprint) = 32);

-- Rows live for seconds or minutes, and each process changes its own row every second.
ALTER TABLE "facade_requests" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000);
ALTER TABLE "facade_processes" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Waiting requests of a process, for the look after those that it no longer knows.
CREATE INDEX "facade_requests_waiting" ON "facade_requests" (process_id) WHERE state = 'waiting';
