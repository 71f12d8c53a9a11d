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

-- Notes outcomes for the hours of operators, in one row a statement. One that replaces another, as a definite one replaces a
-- guess, takes its place there too; which one that was is known here alone.
CREATE OR REPLACE FUNCTION note_call_outcomes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO hour_journal (calls)
  SELECT jsonb_agg(jsonb_build_object('task', n.task_id,
                                      'provider', n.provider,
                                      'model', n.model,
                                      'state', c.state,
                                      'detail', c.detail,
                                      'images', n.images_asked,
                                      'cost', c.cost,
                                      'created', n.created_at,
                                      'ms', round(EXTRACT(EPOCH FROM c.finished - n.created_at) * 1000),
                                      'calls', c.calls))
    FROM updated n
    JOIN previous o ON o.id = n.id
   CROSS JOIN LATERAL (VALUES (n.state, n.detail, n.cost_micros, n.finished_at, 1),
                              (o.state, o.detail, o.cost_micros, o.finished_at, -1)) AS c(state, detail, cost, finished, calls)
   WHERE (n.state, n.detail, n.cost_micros) IS DISTINCT FROM (o.state, o.detail, o.cost_micros)
     AND c.state NOT IN ('started', 'submitted')
  HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "provider_calls_ended" AFTER UPDATE ON "provider_calls" REFERENCING OLD TABLE AS previous NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION note_call_outcomes();
