-- A finished task never changes again. Its idempotency key may be cleared, when it has expired. It may be erased once and deleted
-- once, which the check above completes. What earlier releases do not know is emptied here, since they erase too.
CREATE OR REPLACE FUNCTION refuse_change_of_finished_task() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_erased boolean := OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL;
  is_deleted boolean := OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL;
  changed text[] := ARRAY['idem_key', 'idem_fingerprint', 'idem_added'];
BEGIN
  IF is_erased THEN
    changed := changed || ARRAY['erased_at', 'prompt', 'negative_prompt', 'image_urls', 'mask', 'wishes', 'metadata'];
    NEW.mask := NULL;
    NEW.wishes := NULL;
    IF OLD.metadata IS NOT NULL THEN
      NEW.metadata := NULL;
      UPDATE usage_records u SET metadata = NULL WHERE u.task_id = NEW.id AND u.metadata IS NOT NULL;
      UPDATE webhook_deliveries w SET erase_metadata = true WHERE w.task_id = NEW.id;
      UPDATE endpoint_deliveries d SET erase_metadata = true WHERE d.task_id = NEW.id;
    END IF;
    UPDATE task_outputs o SET revised_prompt = NULL WHERE o.task_id = NEW.id AND o.revised_prompt IS NOT NULL;
  END IF;
  IF is_deleted THEN changed := changed || ARRAY['deleted_at']; END IF;
  IF NEW.idem_key IS NULL THEN
    NEW.idem_added := NULL;
  END IF;
  IF (NEW.idem_key IS NULL OR ((is_erased OR is_deleted) AND NEW.idem_key = OLD.idem_key AND NEW.idem_fingerprint = OLD.idem_fingerprint
                                AND NEW.idem_added IS NOT DISTINCT FROM OLD.idem_added))
     AND (to_jsonb(NEW) - changed) = (to_jsonb(OLD) - changed) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'task % is finished and cannot change', OLD.id USING ERRCODE = 'check_violation';
END $$;
CREATE OR REPLACE TRIGGER "tasks_finished" BEFORE UPDATE ON "tasks"
  FOR EACH ROW WHEN (OLD.status <> 'pending') EXECUTE FUNCTION refuse_change_of_finished_task();

-- The fence and the counters only rise.
CREATE OR REPLACE FUNCTION refuse_falling_task_counters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'attempt, stored_count and call_count of task % never fall', OLD.id USING ERRCODE = 'check_violation';
END $$;
CREATE OR REPLACE TRIGGER "tasks_rising" BEFORE UPDATE ON "tasks"
  FOR EACH ROW WHEN (NEW.attempt < OLD.attempt OR NEW.stored_count < OLD.stored_count OR NEW.call_count < OLD.call_count)
  EXECUTE FUNCTION refuse_falling_task_counters();

-- Whether a task failed because of its request. Such failures count for MAX_FAILED_TASKS.
CREATE OR REPLACE FUNCTION is_caller_failure(failure text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(failure IN ('moderation', 'refused_input', 'canceled', 'input_image'), false)
$$;

-- Counts new tasks in the buckets of lists, what the tasks of each key and of each value of its cap hold, and the webhooks that they ask for. A bucket that is full
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
  IF EXISTS (SELECT FROM inserted WHERE cap_value IS NOT NULL) THEN
    INSERT INTO key_value_spend AS s (account_id, api_key_id, value, day, held_micros, spent_micros)
    SELECT account_id, api_key_id, cap_value, (created_at AT TIME ZONE 'UTC')::date,
           sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END), sum(cost_micros)
      FROM inserted WHERE cap_value IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, api_key_id, value, day) DO UPDATE
       SET held_micros = s.held_micros + EXCLUDED.held_micros, spent_micros = s.spent_micros + EXCLUDED.spent_micros;
  END IF;
  IF EXISTS (SELECT FROM inserted WHERE webhook_url IS NOT NULL) THEN
    UPDATE accounts c SET webhook_count = c.webhook_count + n.tasks
      FROM (SELECT account_id, count(webhook_url) AS tasks FROM inserted GROUP BY account_id) n
     WHERE n.tasks > 0 AND c.id = n.account_id AND c.id = ANY (ARRAY(SELECT account_id FROM inserted WHERE webhook_url IS NOT NULL));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "tasks_count_new" AFTER INSERT ON "tasks" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_tasks();

-- Counts ended tasks in the buckets of lists, what the tasks of each key and value have cost and no longer hold, those that failed because of
-- their requests, and all in the hours of operators, which are locked last. Open calls of a task that ends are abandoned, whichever statement
-- and release ends it: a trigger sees calls that began while that statement waited for the task; a part of the statement would not.
CREATE OR REPLACE FUNCTION count_ended_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM updated WHERE status <> 'pending') THEN RETURN NULL; END IF;
  INSERT INTO abandoned_calls (call_id, provider)
  SELECT c.id, c.provider FROM provider_calls c
   WHERE c.state IN ('started', 'submitted')
     AND c.task_id = ANY (ARRAY(SELECT n.id FROM updated n JOIN previous o ON o.id = n.id
                                 WHERE o.status = 'pending' AND n.status <> 'pending' AND n.call_count > 0))
  ON CONFLICT (call_id) DO NOTHING;
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
  IF EXISTS (SELECT FROM updated WHERE cap_value IS NOT NULL) THEN
    UPDATE key_value_spend s SET held_micros = s.held_micros - e.hold, spent_micros = s.spent_micros + e.cost
      FROM (SELECT n.account_id, n.api_key_id, n.cap_value, (n.created_at AT TIME ZONE 'UTC')::date AS day, sum(n.hold_micros)::int8 AS hold,
                   sum(n.cost_micros)::int8 AS cost
              FROM updated n JOIN previous o ON o.id = n.id
             WHERE o.status = 'pending' AND n.status <> 'pending' AND n.cap_value IS NOT NULL GROUP BY 1, 2, 3, 4) e
     WHERE s.account_id = e.account_id AND s.api_key_id = e.api_key_id AND s.value = e.cap_value AND s.day = e.day;
  END IF;
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
CREATE OR REPLACE TRIGGER "tasks_count_ended" AFTER UPDATE ON "tasks" REFERENCING OLD TABLE AS previous NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION count_ended_tasks();

-- Counts all failed tasks again, in one pass.
CREATE OR REPLACE FUNCTION recount_failed_tasks() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM failed_task_counts;
  INSERT INTO failed_task_counts (account_id, starts_at, total)
  SELECT account_id, starts_at, sum(tasks) OVER (PARTITION BY account_id ORDER BY starts_at)
    FROM (SELECT account_id, GREATEST(date_trunc('second', completed_at), now() - interval '1000000 seconds') AS starts_at, count(*) AS tasks
            FROM tasks WHERE status = 'failed' AND is_caller_failure(failure) GROUP BY 1, 2) t;
END $$;
