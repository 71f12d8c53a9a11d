-- Ids of requests are the providers' own words: nothing keeps one of them from giving the same one twice.
DROP INDEX "provider_calls_request";

-- AlterTable
ALTER TABLE "provider_calls" ADD COLUMN "job_handle" TEXT;

-- CreateTable
CREATE TABLE "worker_reports" (
    "id" TEXT NOT NULL,
    "service" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "report" JSONB NOT NULL,

    CONSTRAINT "worker_reports_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "provider_calls_created_at_idx" ON "provider_calls" USING BRIN ("created_at");

-- Calls whose outcome nobody has written down yet: those of finished tasks are concluded, and their jobs stopped.
CREATE INDEX "provider_calls_open" ON "provider_calls" (task_id) WHERE state IN ('started', 'submitted');
