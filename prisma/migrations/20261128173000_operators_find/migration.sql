-- The log of operators goes through the tasks of all accounts from the newest on. Each new version of a row goes to the right end.
CREATE INDEX "tasks_created_at_idx" ON "tasks"("created_at");
-- A leaked key is looked for by the part of it that is stored.
CREATE INDEX "api_keys_prefix_idx" ON "api_keys"("prefix");
