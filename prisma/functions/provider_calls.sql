-- A submission that was given up and whose job id arrives after all: there is a job to stop.
CREATE OR REPLACE FUNCTION note_late_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO abandoned_calls (call_id, provider)
  SELECT NEW.id, NEW.provider FROM tasks t WHERE t.id = NEW.task_id AND t.status <> 'pending'
  ON CONFLICT (call_id) DO UPDATE SET due_at = now(), failures = 0;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "provider_calls_late_job" AFTER UPDATE ON "provider_calls" FOR EACH ROW
  WHEN (OLD.state IN ('cut', 'unknown') AND NEW.state = 'submitted') EXECUTE FUNCTION note_late_job();

-- An outcome that replaces another one, as a definite one replaces a guess, takes its place here too. The hours name the model of the
-- provider, and model and quality of the task.
-- Tasks are looked up by their ids: until a grown table is analyzed, plans are those of a small one, and would read all of it.
CREATE OR REPLACE FUNCTION count_call_hours() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM updated n WHERE n.state NOT IN ('started', 'submitted'))
     AND NOT EXISTS (SELECT 1 FROM previous o WHERE o.state NOT IN ('started', 'submitted')) THEN RETURN NULL; END IF;
  INSERT INTO provider_call_hours AS h
         (hour, provider, model, public_model, quality, state, detail, lane, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, t.model, COALESCE(t.quality, ''), c.state, COALESCE(c.detail, ''), hour_lane(),
         sum(c.times), sum(c.times * c.images_asked), sum(c.times * COALESCE(c.cost_micros, 0)),
         COALESCE(sum(c.times * EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                          array_agg(c.times) FILTER (WHERE c.state = 'succeeded'))
    FROM (SELECT n.task_id, n.provider, n.model, n.state, n.detail, n.images_asked, n.cost_micros, n.created_at, n.finished_at, 1 AS times
            FROM updated n
          UNION ALL
          SELECT o.task_id, o.provider, o.model, o.state, o.detail, o.images_asked, o.cost_micros, o.created_at, o.finished_at, -1
            FROM previous o) c
   CROSS JOIN LATERAL (SELECT q.model, q.quality FROM tasks q WHERE q.id = c.task_id OFFSET 0) t
   WHERE c.state NOT IN ('started', 'submitted')
   GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(c.times) <> 0 OR count(*) > 1 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (hour, provider, model, public_model, quality, state, detail, lane) DO UPDATE
     SET calls = h.calls + EXCLUDED.calls, images = h.images + EXCLUDED.images, cost_micros = h.cost_micros + EXCLUDED.cost_micros,
         total_ms = h.total_ms + EXCLUDED.total_ms, last_call_at = GREATEST(h.last_call_at, EXCLUDED.last_call_at),
         durations = add_counts(h.durations, EXCLUDED.durations);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "provider_calls_hours_ended" AFTER UPDATE ON "provider_calls" REFERENCING OLD TABLE AS previous NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION count_call_hours();

-- Sums outlive the calls. How many of an hour were deleted is kept, so that sums and calls can be compared.
CREATE OR REPLACE FUNCTION count_deleted_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO provider_call_hours AS h (hour, provider, model, public_model, quality, state, detail, lane, deleted)
  SELECT date_trunc('hour', o.created_at, 'UTC'), o.provider, o.model, t.model, COALESCE(t.quality, ''), o.state, COALESCE(o.detail, ''), hour_lane(), count(*)
    FROM previous o JOIN tasks t ON t.id = o.task_id
   WHERE o.state NOT IN ('started', 'submitted') GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (hour, provider, model, public_model, quality, state, detail, lane) DO UPDATE SET deleted = h.deleted + EXCLUDED.deleted;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "provider_calls_hours_deleted" AFTER DELETE ON "provider_calls" REFERENCING OLD TABLE AS previous
  FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_call_hours();
