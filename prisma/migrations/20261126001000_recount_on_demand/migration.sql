-- Rows begin pending, and no process deletes a webhook: these triggers saw only rows that tests and benchmarks insert already ended.
-- They call recount() instead.
DROP TRIGGER "tasks_hours_new" ON "tasks";
DROP TRIGGER "tasks_count_failed_new" ON "tasks";
DROP TRIGGER "provider_calls_hours_new" ON "provider_calls";
DROP TRIGGER "provider_calls_model_costs_new" ON "provider_calls";
DROP TRIGGER "webhook_deliveries_failed_new" ON "webhook_deliveries";
DROP TRIGGER "webhook_deliveries_count_removed" ON "webhook_deliveries";
DROP TRIGGER "webhook_deliveries_removed" ON "webhook_deliveries";
DROP FUNCTION count_new_task_hours();
DROP FUNCTION count_failed_new_tasks();
DROP FUNCTION count_new_call_hours();
DROP FUNCTION count_new_model_costs();
DROP FUNCTION count_failed_new_deliveries();
DROP FUNCTION count_removed_deliveries();
DROP FUNCTION count_removed_webhooks();

-- Counts tasks and usage records of each account again, and the usage of each day.
CREATE FUNCTION recount_accounts() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  UPDATE accounts a SET task_count = c.tasks, open_count = c.open, erased_count = c.deleted, usage_count = c.records
    FROM (SELECT i.id, COALESCE(t.tasks, 0) AS tasks, COALESCE(t.open, 0) AS open, COALESCE(t.deleted, 0) AS deleted, COALESCE(u.records, 0) AS records
            FROM accounts i
            LEFT JOIN (SELECT account_id, count(*) AS tasks, count(*) FILTER (WHERE status = 'pending') AS open,
                              count(*) FILTER (WHERE deleted_at IS NOT NULL) AS deleted FROM tasks GROUP BY 1) t ON t.account_id = i.id
            LEFT JOIN (SELECT account_id, count(*) AS records FROM usage_records GROUP BY 1) u ON u.account_id = i.id) c
   WHERE a.id = c.id AND (a.task_count, a.open_count, a.erased_count, a.usage_count) IS DISTINCT FROM (c.tasks, c.open, c.deleted, c.records);
  DELETE FROM usage_daily;
  INSERT INTO usage_daily (account_id, api_key_id, model, day, units, cost_micros, requests)
  SELECT account_id, api_key_id, model, (created_at AT TIME ZONE 'UTC')::date, sum(units), sum(cost_micros), count(*)
    FROM usage_records GROUP BY 1, 2, 3, 4;
END $$;

-- Counts again the webhooks that each account and each receiver waits for.
CREATE FUNCTION recount_webhooks() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM webhook_hosts;
  INSERT INTO webhook_hosts (account_id, host_port, pending)
  SELECT account_id, host_port, count(*) FROM webhook_deliveries WHERE state IN ('pending', 'sending') GROUP BY 1, 2;
  DELETE FROM webhook_backlogs;
  INSERT INTO webhook_backlogs (account_id, hosts, ended) SELECT account_id, count(*), 0 FROM webhook_hosts GROUP BY 1;
  UPDATE accounts a SET webhook_count = c.waiting
    FROM (SELECT i.id, COALESCE(h.pending, 0) + COALESCE(t.tasks, 0) AS waiting
            FROM accounts i
            LEFT JOIN (SELECT account_id, sum(pending) AS pending FROM webhook_hosts GROUP BY 1) h ON h.account_id = i.id
            LEFT JOIN (SELECT account_id, count(*) AS tasks FROM tasks WHERE status = 'pending' AND webhook_url IS NOT NULL GROUP BY 1) t
              ON t.account_id = i.id) c
   WHERE a.id = c.id AND a.webhook_count <> c.waiting;
END $$;

-- Rebuilds every counter from the rows that it counts. Writers wait meanwhile: what they count must not come in between.
CREATE FUNCTION recount() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE accounts, tasks, usage_records, provider_calls, webhook_deliveries IN SHARE ROW EXCLUSIVE MODE;
  PERFORM recount_accounts();
  PERFORM recount_lists();
  PERFORM recount_deliveries();
  PERFORM recount_webhooks();
  PERFORM recount_failed_tasks();
  PERFORM recount_failed_days();
  PERFORM recount_key_spend();
  PERFORM recount_hours();
  PERFORM recount_model_costs();
END $$;
