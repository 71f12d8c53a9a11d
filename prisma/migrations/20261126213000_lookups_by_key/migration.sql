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

-- Tasks are looked up by their ids: until a grown table is analyzed, plans are those of a small one, and would read all of it.
CREATE OR REPLACE FUNCTION count_new_usage() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  is_full boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM inserted) THEN RETURN NULL; END IF;
  WITH counted AS (
    INSERT INTO usage_counts AS c (account_id, starts_at, model, api_key_id, quality, records, units, cost_micros)
    SELECT n.account_id, COALESCE(b.starts_at, '-infinity'), n.model, n.api_key_id, COALESCE(t.quality, ''), count(*), sum(n.units), sum(n.cost_micros)
      FROM inserted n CROSS JOIN LATERAL (SELECT q.quality FROM tasks q WHERE q.id = n.task_id OFFSET 0) t LEFT JOIN LATERAL (
        SELECT k.starts_at FROM usage_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
         ORDER BY k.starts_at DESC LIMIT 1) b ON true
     GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (account_id, starts_at, model, api_key_id, quality) DO UPDATE
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

-- Counts ended webhooks for their receivers, in the buckets of lists, and those that were given up in their hour. Hours are locked last.
-- Tasks are looked up by their ids: until a grown table is analyzed, plans are those of a small one, and would read all of it.
CREATE OR REPLACE FUNCTION count_ended_deliveries() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
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
    FROM updated n JOIN previous o ON o.id = n.id CROSS JOIN LATERAL (SELECT q.model FROM tasks q WHERE q.id = n.task_id OFFSET 0) t
   WHERE n.state = 'failed' AND o.state <> 'failed' GROUP BY t.model ORDER BY t.model
  ON CONFLICT (hour, model, lane) DO UPDATE SET failed_webhooks = h.failed_webhooks + EXCLUDED.failed_webhooks;
  RETURN NULL;
END $$;
