-- The rest is written by hand: the schema language has no words for it.

-- The runs of an account's playground, among however many tasks of its keys.
CREATE INDEX "tasks_playground" ON "tasks" (account_id, created_at DESC, id DESC) WHERE api_key_id = 'key_playground';
