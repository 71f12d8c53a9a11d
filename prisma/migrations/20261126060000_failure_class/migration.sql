-- Writers wait for the new functions. Whoever counts ended tasks and webhooks from here on does it in one trigger for each statement.
LOCK TABLE "accounts" IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE "tasks", "webhook_deliveries" IN ACCESS EXCLUSIVE MODE;

ALTER TABLE "tasks" ADD COLUMN "failure" TEXT;

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "tasks" DISABLE TRIGGER USER;
UPDATE "tasks" SET failure = CASE
  WHEN error = 'The request was rejected by content moderation.' THEN 'moderation'
  WHEN error = 'The upstream provider refused the input.' THEN 'refused_input'
  WHEN error = 'The upstream provider failed.' THEN 'upstream'
  WHEN error = 'The task was not finished in time.' THEN 'deadline'
  WHEN error = 'The task was canceled.' THEN 'canceled'
  WHEN error = 'An internal error occurred.' THEN 'internal'
  WHEN error ~ '^image_urls\[[0-9]+\]: ' THEN 'input_image'
  ELSE 'operator' END
 WHERE status = 'failed';
ALTER TABLE "tasks" ENABLE TRIGGER USER;
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_failure" CHECK (failure IS NULL OR status = 'failed'
  AND failure IN ('moderation', 'refused_input', 'upstream', 'deadline', 'canceled', 'internal', 'input_image', 'operator')) NOT VALID;

DROP TRIGGER "tasks_webhooks" ON "tasks";
DROP TRIGGER "tasks_hours_ended" ON "tasks";
DROP TRIGGER "webhook_deliveries_added" ON "webhook_deliveries";
DROP TRIGGER "webhook_deliveries_changed" ON "webhook_deliveries";
DROP FUNCTION count_accepted_webhooks();
DROP FUNCTION count_task_hours();
DROP FUNCTION count_new_webhooks();
DROP FUNCTION count_changed_webhooks();
DROP FUNCTION is_caller_failure(text);

-- Whether a task failed because of its request. Such failures count for MAX_FAILED_TASKS.
CREATE OR REPLACE FUNCTION is_caller_failure(failure text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(failure IN ('moderation', 'refused_input', 'canceled', 'input_image'), false)
$$;

-- Counts new tasks in the buckets of lists, what the tasks of each key hold, and the webhooks that they ask for. A bucket that is full
-- is followed by the next one.
-- Webhooks that an account has asked for and that have not ended yet are accounts.webhook_count - webhook_backlogs.ended. The
-- first only rises, under the lock of the account that every submission takes; the second is written by webhook workers, who
-- take no such lock. A submission that reads an old `ended` counts too many, never too few.
CREATE OR REPLACE FUNCTION count_new_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_full boolean;
BEGIN
  WITH counted AS (
    INSERT INTO task_counts AS c (account_id, starts_at, model, type, tasks, completed, failed)
    SELECT n.account_id, COALESCE(b.starts_at, '-infinity'), n.model, n.type, sum(n.tasks), sum(n.completed), sum(n.failed)
      FROM (SELECT account_id, created_at, model, type, count(*) AS tasks, count(*) FILTER (WHERE status = 'completed') AS completed,
                   count(*) FILTER (WHERE status = 'failed') AS failed FROM inserted GROUP BY 1, 2, 3, 4) n
      LEFT JOIN LATERAL (
        SELECT k.starts_at FROM task_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
         ORDER BY k.starts_at DESC LIMIT 1) b ON true
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, starts_at, model, type) DO UPDATE
       SET tasks = c.tasks + EXCLUDED.tasks, completed = c.completed + EXCLUDED.completed, failed = c.failed + EXCLUDED.failed
    RETURNING c.tasks)
  SELECT max(tasks) >= list_bucket_size() INTO is_full FROM counted;
  IF is_full THEN
    INSERT INTO task_counts (account_id, starts_at, model, type)
    SELECT n.account_id, (SELECT max(t.created_at) + interval '1 millisecond' FROM tasks t WHERE t.account_id = n.account_id), n.model, n.type
      FROM (SELECT DISTINCT ON (account_id) account_id, model, type FROM inserted ORDER BY account_id) n
     WHERE EXISTS (SELECT FROM task_counts c
                    WHERE c.account_id = n.account_id AND c.tasks >= list_bucket_size()
                      AND NOT EXISTS (SELECT FROM task_counts k WHERE k.account_id = c.account_id AND k.starts_at > c.starts_at))
    ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO key_spend AS s (account_id, api_key_id, day, held_micros, spent_micros)
  SELECT account_id, api_key_id, (created_at AT TIME ZONE 'UTC')::date,
         sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END), sum(cost_micros)
    FROM inserted WHERE api_key_id <> 'key_playground' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (account_id, api_key_id, day) DO UPDATE
     SET held_micros = s.held_micros + EXCLUDED.held_micros, spent_micros = s.spent_micros + EXCLUDED.spent_micros;
  IF EXISTS (SELECT FROM inserted WHERE webhook_url IS NOT NULL) THEN
    UPDATE accounts c SET webhook_count = c.webhook_count + n.tasks
      FROM (SELECT account_id, count(webhook_url) AS tasks FROM inserted GROUP BY account_id) n
     WHERE n.tasks > 0 AND c.id = n.account_id AND c.id = ANY (ARRAY(SELECT account_id FROM inserted WHERE webhook_url IS NOT NULL));
  END IF;
  RETURN NULL;
END $$;

-- Counts ended tasks in the buckets of lists, what the tasks of each key have cost and no longer hold, those that failed because of
-- their requests, and all in the hours of operators, which are locked last.
CREATE OR REPLACE FUNCTION count_ended_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM updated WHERE status <> 'pending') THEN RETURN NULL; END IF;
  UPDATE task_counts c SET completed = c.completed + e.completed, failed = c.failed + e.failed
    FROM (SELECT n.account_id, b.starts_at, n.model, n.type,
                 count(*) FILTER (WHERE n.status = 'completed') AS completed, count(*) FILTER (WHERE n.status = 'failed') AS failed
            FROM updated n JOIN previous o ON o.id = n.id CROSS JOIN LATERAL (
              SELECT k.starts_at FROM task_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
               ORDER BY k.starts_at DESC LIMIT 1) b
           WHERE o.status = 'pending' AND n.status <> 'pending' GROUP BY 1, 2, 3, 4) e
   WHERE c.account_id = e.account_id AND c.starts_at = e.starts_at AND c.model = e.model AND c.type = e.type;
  UPDATE key_spend s SET held_micros = s.held_micros - e.hold, spent_micros = s.spent_micros + e.cost
    FROM (SELECT n.account_id, n.api_key_id, (n.created_at AT TIME ZONE 'UTC')::date AS day, sum(n.hold_micros)::int8 AS hold,
                 sum(n.cost_micros)::int8 AS cost
            FROM updated n JOIN previous o ON o.id = n.id WHERE o.status = 'pending' AND n.status <> 'pending' GROUP BY 1, 2, 3) e
   WHERE s.account_id = e.account_id AND s.api_key_id = e.api_key_id AND s.day = e.day;
  IF EXISTS (SELECT FROM updated WHERE status = 'failed' AND is_caller_failure(failure)) THEN
    INSERT INTO failed_task_counts (account_id, starts_at, total)
    SELECT e.account_id, GREATEST(date_trunc('second', now()), k.starts_at), COALESCE(k.total, 0) + e.tasks
      FROM (SELECT n.account_id, count(*) AS tasks FROM updated n JOIN previous o ON o.id = n.id
             WHERE o.status = 'pending' AND n.status = 'failed' AND is_caller_failure(n.failure) GROUP BY 1) e
      LEFT JOIN LATERAL (
        SELECT f.starts_at, f.total FROM failed_task_counts f WHERE f.account_id = e.account_id ORDER BY f.starts_at DESC LIMIT 1) k ON true
     ORDER BY 1
    ON CONFLICT (account_id, starts_at) DO UPDATE SET total = EXCLUDED.total;
    DELETE FROM failed_task_counts f
     USING (SELECT DISTINCT account_id FROM updated WHERE status = 'failed') n
     WHERE f.account_id = n.account_id
       AND f.starts_at < (SELECT max(k.starts_at) FROM failed_task_counts k
                           WHERE k.account_id = n.account_id AND k.starts_at <= now() - interval '1000000 seconds');
  END IF;
  INSERT INTO task_hours AS h (hour, model, lane, completed, failed, images, charged_micros, waits, durations)
  SELECT date_trunc('hour', n.completed_at, 'UTC'), n.model, hour_lane(),
         count(*) FILTER (WHERE n.status = 'completed'), count(*) FILTER (WHERE n.status = 'failed'),
         COALESCE(sum(n.stored_count) FILTER (WHERE n.status = 'completed'), 0), sum(n.cost_micros),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.started_at - n.created_at)::float8 * 1000), array_agg(1)),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.completed_at - n.created_at)::float8 * 1000) FILTER (WHERE n.status = 'completed'),
                          array_agg(1) FILTER (WHERE n.status = 'completed'))
    FROM updated n JOIN previous o ON o.id = n.id WHERE o.status = 'pending' AND n.status <> 'pending'
   GROUP BY 1, 2, 3 ORDER BY 1, 2
  ON CONFLICT (hour, model, lane) DO UPDATE
     SET completed = h.completed + EXCLUDED.completed, failed = h.failed + EXCLUDED.failed, images = h.images + EXCLUDED.images,
         charged_micros = h.charged_micros + EXCLUDED.charged_micros, waits = add_counts(h.waits, EXCLUDED.waits),
         durations = add_counts(h.durations, EXCLUDED.durations);
  RETURN NULL;
END $$;

-- Counts all failed tasks again, in one pass.
CREATE OR REPLACE FUNCTION recount_failed_tasks() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM failed_task_counts;
  INSERT INTO failed_task_counts (account_id, starts_at, total)
  SELECT account_id, starts_at, sum(tasks) OVER (PARTITION BY account_id ORDER BY starts_at)
    FROM (SELECT account_id, GREATEST(date_trunc('second', completed_at), now() - interval '1000000 seconds') AS starts_at, count(*) AS tasks
            FROM tasks WHERE status = 'failed' AND is_caller_failure(failure) GROUP BY 1, 2) t;
END $$;


CREATE OR REPLACE FUNCTION count_new_usage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_full boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM inserted) THEN RETURN NULL; END IF;
  WITH counted AS (
    INSERT INTO usage_counts AS c (account_id, starts_at, model, api_key_id, records, units, cost_micros)
    SELECT n.account_id, COALESCE(b.starts_at, '-infinity'), n.model, n.api_key_id, count(*), sum(n.units), sum(n.cost_micros)
      FROM inserted n LEFT JOIN LATERAL (
        SELECT k.starts_at FROM usage_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
         ORDER BY k.starts_at DESC LIMIT 1) b ON true
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, starts_at, model, api_key_id) DO UPDATE
       SET records = c.records + EXCLUDED.records, units = c.units + EXCLUDED.units, cost_micros = c.cost_micros + EXCLUDED.cost_micros
    RETURNING c.records)
  SELECT max(records) >= list_bucket_size() INTO is_full FROM counted;
  IF is_full THEN
    INSERT INTO usage_counts (account_id, starts_at, model, api_key_id)
    SELECT n.account_id, (SELECT max(u.created_at) + interval '1 millisecond' FROM usage_records u WHERE u.account_id = n.account_id), n.model, n.api_key_id
      FROM (SELECT DISTINCT ON (account_id) account_id, model, api_key_id FROM inserted ORDER BY account_id) n
     WHERE EXISTS (SELECT FROM usage_counts c
                    WHERE c.account_id = n.account_id AND c.records >= list_bucket_size()
                      AND NOT EXISTS (SELECT FROM usage_counts k WHERE k.account_id = c.account_id AND k.starts_at > c.starts_at))
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

-- Counts new webhooks for their receivers and in the buckets of lists, which are locked last.
CREATE OR REPLACE FUNCTION count_new_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_full boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM inserted) THEN RETURN NULL; END IF;
  PERFORM add_to_webhook_counts(array_agg(account_id), array_agg(host_port),
            array_agg((state IN ('pending', 'sending'))::int), array_agg((state NOT IN ('pending', 'sending'))::int)) FROM inserted;
  WITH counted AS (
    INSERT INTO delivery_counts AS c (account_id, starts_at, deliveries, delivered, failed)
    SELECT n.account_id, COALESCE(b.starts_at, '-infinity'), count(*),
           count(*) FILTER (WHERE n.state = 'delivered'), count(*) FILTER (WHERE n.state = 'failed')
      FROM inserted n LEFT JOIN LATERAL (
        SELECT k.starts_at FROM delivery_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
         ORDER BY k.starts_at DESC LIMIT 1) b ON true
     GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (account_id, starts_at) DO UPDATE
       SET deliveries = c.deliveries + EXCLUDED.deliveries, delivered = c.delivered + EXCLUDED.delivered, failed = c.failed + EXCLUDED.failed
    RETURNING c.deliveries)
  SELECT max(deliveries) >= list_bucket_size() INTO is_full FROM counted;
  IF is_full THEN
    INSERT INTO delivery_counts (account_id, starts_at)
    SELECT n.account_id, (SELECT max(w.created_at) + interval '1 millisecond' FROM webhook_deliveries w WHERE w.account_id = n.account_id)
      FROM (SELECT DISTINCT account_id FROM inserted) n
     WHERE (SELECT c.deliveries FROM delivery_counts c WHERE c.account_id = n.account_id ORDER BY c.starts_at DESC LIMIT 1) >= list_bucket_size()
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

-- Counts ended webhooks for their receivers, in the buckets of lists, and those that were given up in their hour. Hours are locked last.
CREATE OR REPLACE FUNCTION count_ended_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM updated WHERE state IN ('delivered', 'failed')) AND NOT EXISTS (SELECT FROM previous WHERE state IN ('delivered', 'failed'))
  THEN RETURN NULL; END IF;
  PERFORM add_to_webhook_counts(array_agg(n.account_id), array_agg(n.host_port),
            array_agg(CASE WHEN n.state IN ('pending', 'sending') THEN 1 ELSE -1 END),
            array_agg(CASE WHEN n.state IN ('pending', 'sending') THEN -1 ELSE 1 END))
     FROM previous o JOIN updated n ON n.id = o.id
    WHERE (o.state IN ('pending', 'sending')) <> (n.state IN ('pending', 'sending')) HAVING count(*) > 0;
  INSERT INTO delivery_counts AS c (account_id, starts_at, delivered, failed)
  SELECT n.account_id, b.starts_at, sum((n.state = 'delivered')::int - (o.state = 'delivered')::int),
         sum((n.state = 'failed')::int - (o.state = 'failed')::int)
    FROM updated n JOIN previous o ON o.id = n.id CROSS JOIN LATERAL (
      SELECT k.starts_at FROM delivery_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
       ORDER BY k.starts_at DESC LIMIT 1) b
   WHERE n.state <> o.state AND (n.state IN ('delivered', 'failed') OR o.state IN ('delivered', 'failed'))
   GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, starts_at) DO UPDATE SET delivered = c.delivered + EXCLUDED.delivered, failed = c.failed + EXCLUDED.failed;
  IF NOT EXISTS (SELECT FROM updated WHERE state = 'failed') THEN RETURN NULL; END IF;
  INSERT INTO task_hours AS h (hour, model, lane, failed_webhooks)
  SELECT date_trunc('hour', now(), 'UTC'), t.model, hour_lane(), count(*)
    FROM updated n JOIN previous o ON o.id = n.id JOIN tasks t ON t.id = n.task_id
   WHERE n.state = 'failed' AND o.state <> 'failed' GROUP BY t.model ORDER BY t.model
  ON CONFLICT (hour, model, lane) DO UPDATE SET failed_webhooks = h.failed_webhooks + EXCLUDED.failed_webhooks;
  RETURN NULL;
END $$;

-- Workers of 0.1.0 and 0.2.0 end a task with a text alone.
CREATE FUNCTION set_failure() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.failure := CASE
    WHEN NEW.error = 'The request was rejected by content moderation.' THEN 'moderation'
    WHEN NEW.error = 'The upstream provider refused the input.' THEN 'refused_input'
    WHEN NEW.error = 'The upstream provider failed.' THEN 'upstream'
    WHEN NEW.error = 'The task was not finished in time.' THEN 'deadline'
    WHEN NEW.error = 'The task was canceled.' THEN 'canceled'
    WHEN NEW.error = 'An internal error occurred.' THEN 'internal'
    WHEN NEW.error ~ '^image_urls\[[0-9]+\]: ' THEN 'input_image'
    ELSE 'operator' END;
  RETURN NEW;
END $$;
CREATE TRIGGER "tasks_failure" BEFORE UPDATE ON "tasks"
  FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status = 'failed' AND NEW.failure IS NULL) EXECUTE FUNCTION set_failure();
