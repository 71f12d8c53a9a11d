-- The queued tasks of each account, the oldest first: workers serve the accounts in turns.
CREATE INDEX "tasks_turns" ON "tasks" (account_id, due_at) WHERE status = 'pending' AND phase = 'queued';
