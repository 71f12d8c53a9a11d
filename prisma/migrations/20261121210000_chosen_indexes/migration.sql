-- The partial indexes over open tasks serve those statements that repeat their last term, which is true of every task. PostgreSQL
-- goes by the counts of its last ANALYZE: with few open tasks then, it would rather read one of these indexes from end to end
-- than look up a task by its id, however long the backlog is by now.
DROP INDEX "tasks_due";
DROP INDEX "tasks_lease";
DROP INDEX "tasks_deadline";
DROP INDEX "tasks_turns";
CREATE INDEX "tasks_due" ON "tasks" (due_at) WHERE status = 'pending' AND phase = 'queued' AND tries >= 0;
CREATE INDEX "tasks_lease" ON "tasks" (lease_until) WHERE status = 'pending' AND phase = 'running' AND tries >= 0;
CREATE INDEX "tasks_deadline" ON "tasks" (deadline_at) WHERE status = 'pending' AND tries >= 0;
CREATE INDEX "tasks_turns" ON "tasks" (account_id, due_at) WHERE status = 'pending' AND phase = 'queued' AND attempt >= 0;
