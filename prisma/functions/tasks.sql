-- The fence and the counters of a task only rise. A finished task never changes again. Its idempotency key may be cleared, when it has
-- expired. It may be erased once and deleted once; what goes with its texts is emptied here.
CREATE OR REPLACE FUNCTION keep_task_laws() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_erased boolean := OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL;
  is_deleted boolean := OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL;
  changed text[] := ARRAY['idem_key', 'idem_fingerprint', 'idem_added'];
BEGIN
  IF NEW.attempt < OLD.attempt OR NEW.stored_count < OLD.stored_count OR NEW.call_count < OLD.call_count THEN
    RAISE EXCEPTION 'attempt, stored_count and call_count of task % never fall', OLD.id USING ERRCODE = 'check_violation';
  END IF;
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
CREATE OR REPLACE TRIGGER "tasks_laws" BEFORE UPDATE ON "tasks" FOR EACH ROW
  WHEN (OLD.status <> 'pending'
        OR NEW.attempt < OLD.attempt
        OR NEW.stored_count < OLD.stored_count
        OR NEW.call_count < OLD.call_count)
  EXECUTE FUNCTION keep_task_laws();

-- Whether a task failed because of its request. Such failures count for MAX_FAILED_TASKS.
CREATE OR REPLACE FUNCTION is_caller_failure(failure text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(failure IN ('moderation', 'refused_input', 'canceled', 'input_image'), false)
$$;

-- Counts new tasks in the buckets of lists. A bucket that is full is followed by the next one. The bucket is looked for after the lock of
-- the account: a part of the inserting statement would miss one that was begun while it waited.
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
    SELECT n.account_id, (SELECT max(t.created_at) + interval '1 millisecond' FROM tasks t WHERE t.account_id = n.account_id),
      n.model, n.type
      FROM (SELECT DISTINCT ON (account_id) account_id, model, type FROM inserted ORDER BY account_id) n
     WHERE EXISTS (SELECT FROM task_counts c
                    WHERE c.account_id = n.account_id AND c.tasks >= list_bucket_size()
                      AND NOT EXISTS (SELECT FROM task_counts k WHERE k.account_id = c.account_id AND k.starts_at > c.starts_at))
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "tasks_count_new" AFTER INSERT ON "tasks" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_tasks();

-- Open calls of tasks that ended are abandoned, also those that began while the statement waited for the task.
CREATE OR REPLACE FUNCTION abandon_calls(of_tasks text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO abandoned_calls (call_id, provider)
  SELECT c.id, c.provider
    FROM provider_calls c
   WHERE c.state IN ('started', 'submitted')
     AND c.task_id = ANY (of_tasks)
  ON CONFLICT (call_id) DO NOTHING;
END $$;

-- Counts ended tasks in the buckets of lists.
CREATE OR REPLACE FUNCTION count_ended_in_lists(of_accounts text[], created timestamptz[], models text[], types text[], statuses text[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE task_counts c
     SET completed = c.completed + e.completed,
         failed = c.failed + e.failed
    FROM (SELECT n.account_id,
                 b.starts_at,
                 n.model,
                 n.type,
                 count(*) FILTER (WHERE n.status = 'completed') AS completed,
                 count(*) FILTER (WHERE n.status = 'failed') AS failed
            FROM unnest(of_accounts, created, models, types, statuses) AS n(account_id, created_at, model, type, status)
           CROSS JOIN LATERAL (SELECT k.starts_at
                                 FROM task_counts k
                                WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
                                ORDER BY k.starts_at DESC
                                LIMIT 1) b
           GROUP BY 1, 2, 3, 4) e
   WHERE c.account_id = e.account_id
     AND c.starts_at = e.starts_at
     AND c.model = e.model
     AND c.type = e.type;
END $$;

-- Adds tasks that failed because of their requests, each with its account, to the running totals.
CREATE OR REPLACE FUNCTION count_caller_failures(of_accounts text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO failed_task_counts (account_id, starts_at, total)
  SELECT e.account_id,
         GREATEST(date_trunc('second', now()), k.starts_at),
         COALESCE(k.total, 0) + e.tasks
    FROM (SELECT n.account_id, count(*) AS tasks FROM unnest(of_accounts) AS n(account_id) GROUP BY 1) e
    LEFT JOIN LATERAL (SELECT f.starts_at, f.total
                         FROM failed_task_counts f
                        WHERE f.account_id = e.account_id
                        ORDER BY f.starts_at DESC
                        LIMIT 1) k ON true
   ORDER BY 1
  ON CONFLICT (account_id, starts_at) DO UPDATE SET total = EXCLUDED.total;
  DELETE FROM failed_task_counts f
   USING (SELECT DISTINCT unnest(of_accounts) AS account_id) n
   WHERE f.account_id = n.account_id
     AND f.starts_at < (SELECT max(k.starts_at)
                          FROM failed_task_counts k
                         WHERE k.account_id = n.account_id AND k.starts_at <= now() - interval '1000000 seconds');
END $$;

-- What reads after the lock of the account when tasks end, whichever statement ends them. A statement calls it for each task that it
-- ends, and the first call does it for all: nothing is called for claims and heartbeats. It changes no task that ended earlier.
CREATE OR REPLACE FUNCTION count_ended_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> (SELECT n.id FROM updated n WHERE n.status <> 'pending' LIMIT 1) THEN RETURN NULL; END IF;
  PERFORM abandon_calls(array_agg(n.id) FILTER (WHERE n.call_count > 0)),
          count_ended_in_lists(array_agg(n.account_id),
                               array_agg(n.created_at),
                               array_agg(n.model),
                               array_agg(n.type),
                               array_agg(n.status))
     FROM updated n
    WHERE n.status <> 'pending';
  PERFORM count_caller_failures(array_agg(n.account_id))
     FROM updated n
    WHERE n.status = 'failed' AND is_caller_failure(n.failure)
   HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "tasks_count_ended" AFTER UPDATE ON "tasks" REFERENCING NEW TABLE AS updated
  FOR EACH ROW WHEN (OLD.status = 'pending' AND NEW.status <> 'pending') EXECUTE FUNCTION count_ended_tasks();

-- Counts all failed tasks again, in one pass.
CREATE OR REPLACE FUNCTION recount_failed_tasks() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM failed_task_counts;
  INSERT INTO failed_task_counts (account_id, starts_at, total)
  SELECT account_id, starts_at, sum(tasks) OVER (PARTITION BY account_id ORDER BY starts_at)
    FROM (SELECT account_id, GREATEST(date_trunc('second', completed_at), now() - interval '1000000 seconds') AS starts_at,
      count(*) AS tasks
            FROM tasks WHERE status = 'failed' AND is_caller_failure(failure) GROUP BY 1, 2) t;
END $$;
