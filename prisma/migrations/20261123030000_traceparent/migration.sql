-- Trace that the request of a task belongs to, for the spans of the workers.
ALTER TABLE "tasks" ADD COLUMN "traceparent" TEXT;

-- Not validated: every row that exists has none, and reading them all would hold back submits.
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_traceparent" CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$') NOT VALID;
