-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "clean_attempt" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "settle_error" TEXT,
ADD COLUMN     "settle_failed_at" TIMESTAMPTZ(3),
ADD COLUMN     "settle_failures" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "sweep_after" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "abandoned_calls" (
    "call_id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "abandoned_calls_pkey" PRIMARY KEY ("call_id")
);

-- CreateTable
CREATE TABLE "sweep_turns" (
    "name" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sweep_turns_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "abandoned_calls_due_at_idx" ON "abandoned_calls"("due_at");

-- Tasks that could not be settled, by time of the last failure.
CREATE INDEX "tasks_set_aside" ON "tasks" (settle_failed_at) WHERE status = 'pending' AND settle_failures > 0;

-- Open calls of a task that ends are abandoned, whichever statement and release ends it. A trigger sees calls that began while
-- that statement waited for the task; a part of the statement would not.
CREATE FUNCTION note_abandoned_calls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO abandoned_calls (call_id, provider)
  SELECT c.id, c.provider FROM provider_calls c WHERE c.task_id = NEW.id AND c.state IN ('started', 'submitted')
  ON CONFLICT (call_id) DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER "tasks_abandon_calls" AFTER UPDATE ON "tasks" FOR EACH ROW
  WHEN (OLD.status = 'pending' AND NEW.status <> 'pending' AND NEW.call_count > 0) EXECUTE FUNCTION note_abandoned_calls();

-- A submission that was given up and whose job id arrives after all: there is a job to stop.
CREATE FUNCTION note_late_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO abandoned_calls (call_id, provider)
  SELECT NEW.id, NEW.provider FROM tasks t WHERE t.id = NEW.task_id AND t.status <> 'pending'
  ON CONFLICT (call_id) DO UPDATE SET due_at = now(), failures = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER "provider_calls_late_job" AFTER UPDATE ON "provider_calls" FOR EACH ROW
  WHEN (OLD.state IN ('cut', 'unknown') AND NEW.state = 'submitted') EXECUTE FUNCTION note_late_job();

INSERT INTO abandoned_calls (call_id, provider)
SELECT c.id, c.provider FROM provider_calls c JOIN tasks t ON t.id = c.task_id
 WHERE c.state IN ('started', 'submitted') AND t.status <> 'pending';
