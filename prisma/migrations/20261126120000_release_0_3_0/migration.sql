-- All that the 55 migrations of 0.3.0 make, in one. `replaces.txt` names them: a database that has them all skips this one.
-- Tables, indexes and foreign keys stand in the order in which those made them, since PostgreSQL locks and checks in it.

-- Bodies of functions name tables that come later.
SET LOCAL check_function_bodies = off;

-- Functions

CREATE FUNCTION add_counts(a integer[], b integer[]) RETURNS integer[] LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(array_agg(COALESCE(x, 0) + COALESCE(y, 0) ORDER BY place), '{}') FROM unnest(a, b) WITH ORDINALITY u(x, y, place)
$$;

CREATE FUNCTION add_event(to_endpoint text, of_type text, data json, of_task text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO endpoint_deliveries (id, endpoint_id, account_id, host_port, type, task_id, body, next_attempt_at)
  SELECT new_message_id(), e.id, e.account_id, e.host_port, of_type, of_task,
         '{"type":' || to_json(of_type)::text || ',"timestamp":' || to_json(format_time(now()))::text || ',"data":' || data::text || '}', now()
    FROM endpoints e WHERE e.id = to_endpoint AND e.disabled_at IS NULL;
  WITH surplus AS (
    DELETE FROM endpoint_deliveries d WHERE d.id IN (
      SELECT w.id FROM endpoint_deliveries w WHERE w.endpoint_id = to_endpoint AND w.state = 'pending'
       ORDER BY w.created_at DESC, w.id DESC OFFSET 10000 LIMIT 100) RETURNING d.id)
  UPDATE endpoints e SET dropped = e.dropped + s.events FROM (SELECT count(*) AS events FROM surplus) s WHERE e.id = to_endpoint AND s.events > 0;
  RETURN true;
END $$;

CREATE FUNCTION add_to_webhook_counts(of_accounts text[], of_hosts text[], steps integer[], ends integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH changed AS MATERIALIZED (
    SELECT account_id, host_port, sum(step)::int AS step, sum(ended)::int AS ended
      FROM unnest(of_accounts, of_hosts, steps, ends) AS c(account_id, host_port, step, ended) GROUP BY 1, 2),
  counted AS (
    INSERT INTO webhook_hosts AS h (account_id, host_port, pending)
    SELECT account_id, host_port, step FROM changed WHERE step <> 0 ORDER BY account_id, host_port
    ON CONFLICT (account_id, host_port) DO UPDATE SET pending = h.pending + EXCLUDED.pending
    RETURNING h.account_id, (h.xmax = 0)::int - (h.pending = 0)::int AS hosts)
  INSERT INTO webhook_backlogs AS b (account_id, hosts, ended)
  SELECT account_id, sum(hosts), sum(ended)
    FROM (SELECT account_id, hosts, 0 AS ended FROM counted UNION ALL SELECT account_id, 0, ended FROM changed) c
   GROUP BY account_id ORDER BY account_id
  ON CONFLICT (account_id) DO UPDATE SET hosts = b.hosts + EXCLUDED.hosts, ended = b.ended + EXCLUDED.ended;
  IF -1 = ANY (steps) THEN
    DELETE FROM webhook_hosts h USING unnest(of_accounts, of_hosts) AS c(account_id, host_port)
     WHERE h.account_id = c.account_id AND h.host_port = c.host_port AND h.account_id = ANY (of_accounts)
       AND h.host_port = ANY (of_hosts) AND h.pending = 0;
  END IF;
END $$;

CREATE FUNCTION carry_key_spend() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE key_spend s SET month_before_micros = c.month_before, total_before_micros = c.total_before, is_newest = c.is_newest
    FROM (SELECT d.day, lead(d.day) OVER days IS NULL AS is_newest,
                 COALESCE(sum(d.held_micros + d.spent_micros) OVER (days ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::int8 AS total_before,
                 COALESCE(sum(d.held_micros + d.spent_micros) OVER (PARTITION BY date_trunc('month', d.day::timestamp) ORDER BY d.day
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::int8 AS month_before
            FROM key_spend d WHERE d.account_id = NEW.account_id AND d.api_key_id = NEW.api_key_id WINDOW days AS (ORDER BY d.day)) c
   WHERE s.account_id = NEW.account_id AND s.api_key_id = NEW.api_key_id AND s.day = c.day
     AND (s.month_before_micros, s.total_before_micros, s.is_newest) IS DISTINCT FROM (c.month_before, c.total_before, c.is_newest);
  RETURN NULL;
END $$;

CREATE FUNCTION copy_max_requests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.max_requests IS DISTINCT FROM OLD.max_requests THEN
    NEW.key_requests_per_minute := NEW.max_requests;
  ELSE
    NEW.max_requests := NEW.key_requests_per_minute;
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION copy_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.metadata := (SELECT t.metadata FROM tasks t WHERE t.id = NEW.task_id);
  RETURN NEW;
END $$;

CREATE FUNCTION count_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
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
    JOIN tasks t ON t.id = c.task_id
   WHERE c.state NOT IN ('started', 'submitted')
   GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 HAVING sum(c.times) <> 0 OR count(*) > 1 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (hour, provider, model, public_model, quality, state, detail, lane) DO UPDATE
     SET calls = h.calls + EXCLUDED.calls, images = h.images + EXCLUDED.images, cost_micros = h.cost_micros + EXCLUDED.cost_micros,
         total_ms = h.total_ms + EXCLUDED.total_ms, last_call_at = GREATEST(h.last_call_at, EXCLUDED.last_call_at),
         durations = add_counts(h.durations, EXCLUDED.durations);
  RETURN NULL;
END $$;

CREATE FUNCTION count_deleted_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO provider_call_hours AS h (hour, provider, model, public_model, quality, state, detail, lane, deleted)
  SELECT date_trunc('hour', o.created_at, 'UTC'), o.provider, o.model, t.model, COALESCE(t.quality, ''), o.state, COALESCE(o.detail, ''), hour_lane(), count(*)
    FROM previous o JOIN tasks t ON t.id = o.task_id
   WHERE o.state NOT IN ('started', 'submitted') GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (hour, provider, model, public_model, quality, state, detail, lane) DO UPDATE SET deleted = h.deleted + EXCLUDED.deleted;
  RETURN NULL;
END $$;

CREATE FUNCTION count_ended_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION count_ended_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION count_in_buckets(ms double precision[], times integer[]) RETURNS integer[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN ms IS NULL THEN '{}' ELSE (
    SELECT array_agg(COALESCE(c.n, 0)::int ORDER BY b)
      FROM generate_series(0, cardinality(hour_bounds())) b
      LEFT JOIN (SELECT width_bucket(u.ms, hour_bounds()) AS b, sum(u.times) AS n FROM unnest(ms, times) u(ms, times) GROUP BY 1) c USING (b)) END
$$;

CREATE FUNCTION count_new_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION count_new_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION count_new_usage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_full boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM inserted) THEN RETURN NULL; END IF;
  WITH counted AS (
    INSERT INTO usage_counts AS c (account_id, starts_at, model, api_key_id, quality, records, units, cost_micros)
    SELECT n.account_id, COALESCE(b.starts_at, '-infinity'), n.model, n.api_key_id, COALESCE(t.quality, ''), count(*), sum(n.units), sum(n.cost_micros)
      FROM inserted n JOIN tasks t ON t.id = n.task_id LEFT JOIN LATERAL (
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

CREATE FUNCTION erase_metadata_of_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.body := without_metadata(NEW.body);
  RETURN NEW;
END $$;

CREATE FUNCTION format_dollars(micros bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $_$
  SELECT CASE micros WHEN 0 THEN '$0.00' ELSE
    '$' || micros / 1000000 || '.' || regexp_replace(lpad((micros % 1000000)::text, 6, '0'), '0{1,2}$', '') END
$_$;

CREATE FUNCTION format_time(at timestamp with time zone) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

CREATE FUNCTION hour_bounds() RETURNS double precision[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg((50 * 1.25 ^ n)::float8 ORDER BY n) FROM generate_series(0, 43) n
$$;

CREATE FUNCTION hour_lane() RETURNS smallint LANGUAGE sql AS $$ SELECT (pg_backend_pid() % 4)::smallint $$;

CREATE FUNCTION is_caller_failure(failure text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(failure IN ('moderation', 'refused_input', 'canceled', 'input_image'), false)
$$;

CREATE FUNCTION judge_calls(calls text[], providers text[], costs bigint[], ceiling bigint) RETURNS TABLE(call text, refusal text) LANGUAGE plpgsql AS $$
DECLARE
  today date := (now()::timestamptz(3) AT TIME ZONE 'UTC')::date;
  has_ceiling boolean;
  used jsonb := '{}';
  total int8 := 0;
  own int8;
  reached text[] := '{}';
  l provider_limits;
  told int8;
BEGIN
  IF ceiling IS NULL AND NOT EXISTS (SELECT FROM provider_limits p WHERE p.name = ANY (providers)) THEN RETURN; END IF;
  has_ceiling := ceiling IS NOT NULL OR EXISTS (SELECT FROM provider_limits p WHERE p.name = ANY (providers) AND p.cost_day_micros IS NOT NULL);
  IF has_ceiling THEN
    PERFORM pg_advisory_xact_lock(hashtext('upstream_costs'));
    SELECT COALESCE(jsonb_object_agg(c.provider, c.micros), '{}'), COALESCE(sum(c.micros), 0) INTO used, total FROM sum_costs_of_day() c;
  END IF;
  FOR place IN 1 .. COALESCE(cardinality(calls), 0) LOOP
    SELECT * INTO l FROM provider_limits p WHERE p.name = providers[place];
    own := COALESCE((used ->> providers[place])::int8, 0) + costs[place];
    call := calls[place];
    IF l.paused_at IS NOT NULL AND now() < COALESCE(l.paused_until, 'infinity') THEN
      refusal := 'paused';
      RETURN NEXT;
    -- What costs nothing lifts nothing.
    ELSIF costs[place] > 0 AND own > l.cost_day_micros THEN
      refusal := 'ceiling';
      reached := reached || providers[place];
      RETURN NEXT;
    ELSIF costs[place] > 0 AND total + costs[place] > ceiling THEN
      refusal := 'ceiling';
      reached := reached || '*'::text;
      RETURN NEXT;
    ELSE
      used := used || jsonb_build_object(providers[place], own);
      total := total + costs[place];
    END IF;
  END LOOP;
  IF NOT has_ceiling THEN RETURN; END IF;
  WITH ceilings AS (
    SELECT p.name, p.cost_day_micros AS micros, COALESCE((used ->> p.name)::int8, 0) AS spent
      FROM provider_limits p WHERE p.name = ANY (providers) AND p.cost_day_micros IS NOT NULL
    UNION ALL
    SELECT '*', ceiling, total WHERE ceiling IS NOT NULL),
  fresh AS (
    INSERT INTO cost_notices (provider, day, ceiling_micros, percent)
    SELECT c.name, today, c.micros, p FROM ceilings c CROSS JOIN unnest(ARRAY[80, 100]) p
     WHERE c.spent * 100 >= c.micros * p OR p = 100 AND c.name = ANY (reached)
    ON CONFLICT DO NOTHING RETURNING *)
  SELECT count(add_event(e.id, 'provider.needs_operator', json_build_object('provider', f.provider, 'reason',
           CASE f.percent WHEN 80 THEN '80 percent of the ceiling of the day are used: ' ELSE 'the ceiling of the day is reached, calls wait: ' END
             || format_dollars(c.spent) || ' of ' || format_dollars(c.micros), 'since', format_time(now())), NULL))
    FROM fresh f JOIN ceilings c ON c.name = f.provider
    JOIN endpoints e ON e.account_id IS NULL AND 'provider.needs_operator' = ANY (e.types) INTO told;
END $$;

CREATE FUNCTION list_bucket_size() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT 1000::bigint $$;

CREATE FUNCTION lock_account_and_count_keys(account text) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM accounts WHERE id = account FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  RETURN (SELECT count(*) FROM api_keys
           WHERE account_id = account AND revoked_at IS NULL AND COALESCE(expires_at > now(), true));
END $$;

CREATE FUNCTION new_message_id() RETURNS text LANGUAGE sql AS $$
  SELECT 'msg_' || string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 1 + get_byte(r.bytes, place) % 62, 1), '' ORDER BY place)
    FROM (SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) AS bytes) r, generate_series(0, 21) place
$$;

CREATE FUNCTION note_abandoned_calls() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO abandoned_calls (call_id, provider)
  SELECT c.id, c.provider FROM provider_calls c WHERE c.task_id = NEW.id AND c.state IN ('started', 'submitted')
  ON CONFLICT (call_id) DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION note_attempt(of_endpoint text, is_good boolean, status integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  e endpoints;
  today date := (now() AT TIME ZONE 'UTC')::date;
BEGIN
  IF is_good THEN
    UPDATE endpoints SET failures = 0, failing_since = NULL WHERE id = of_endpoint AND failures > 0;
    RETURN;
  END IF;
  SELECT * INTO e FROM endpoints WHERE id = of_endpoint FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  e.failures := e.failures + 1;
  e.failing_since := COALESCE(e.failing_since, now());
  IF e.failures >= 2 AND e.failing_told_on IS DISTINCT FROM today THEN
    e.failing_told_on := today;
    PERFORM add_event(o.id, 'webhook.failing', json_strip_nulls(json_build_object('endpoint_id', e.id, 'url', e.url, 'since', format_time(e.failing_since),
                                                                                 'last_status', status)), NULL)
       FROM endpoints o WHERE o.account_id IS NOT DISTINCT FROM e.account_id AND o.id <> e.id AND 'webhook.failing' = ANY (o.types) ORDER BY o.id;
  END IF;
  IF e.failing_since <= now() - interval '3 days' THEN
    e.disabled_at := COALESCE(e.disabled_at, now());
    UPDATE endpoint_deliveries SET state = 'failed', next_attempt_at = NULL WHERE endpoint_id = e.id AND state = 'pending';
  END IF;
  UPDATE endpoints SET failures = e.failures, failing_since = e.failing_since, failing_told_on = e.failing_told_on, disabled_at = e.disabled_at
   WHERE id = of_endpoint;
END $$;

CREATE FUNCTION note_late_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO abandoned_calls (call_id, provider)
  SELECT NEW.id, NEW.provider FROM tasks t WHERE t.id = NEW.task_id AND t.status <> 'pending'
  ON CONFLICT (call_id) DO UPDATE SET due_at = now(), failures = 0;
  RETURN NULL;
END $$;

CREATE FUNCTION notice_caps() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  today date := (now()::timestamptz(3) AT TIME ZONE 'UTC')::date;
  told int8;
BEGIN
  IF NOT EXISTS (SELECT FROM endpoints e WHERE e.account_id = ANY (ARRAY(SELECT DISTINCT account_id FROM inserted)) AND 'key.cap_reached' = ANY (e.types))
  THEN RETURN NULL; END IF;
  WITH used AS MATERIALIZED (
    SELECT k.account_id, k.id AS key, c.cap, c.starts_on, c.micros, c.used, ''::bytea AS value, NULL::text AS words, NULL::text AS task
      FROM (SELECT DISTINCT account_id, api_key_id FROM inserted) n JOIN api_keys k ON k.id = n.api_key_id AND k.account_id = n.account_id
     CROSS JOIN LATERAL sum_key_spend(k.account_id, k.id, k.cap_total_micros IS NOT NULL) s
     CROSS JOIN LATERAL (VALUES ('day', today, k.cap_day_micros, s.day_micros),
                                ('month', date_trunc('month', today::timestamp)::date, k.cap_month_micros, s.month_micros),
                                ('total', '-infinity'::date, k.cap_total_micros, s.total_micros)) c(cap, starts_on, micros, used)
     WHERE c.micros IS NOT NULL
    UNION ALL
    SELECT k.account_id, k.id, 'day_per', today, k.cap_per_micros, sum_value_spend(k.account_id, k.id, n.cap_value), n.cap_value,
           n.metadata ->> k.cap_per_key, n.id
      FROM (SELECT DISTINCT ON (account_id, api_key_id, cap_value) account_id, api_key_id, cap_value, metadata, id
              FROM inserted WHERE cap_value IS NOT NULL ORDER BY account_id, api_key_id, cap_value, id) n
      JOIN api_keys k ON k.id = n.api_key_id AND k.account_id = n.account_id AND n.metadata ? k.cap_per_key),
  reached AS (
    INSERT INTO cap_notices (api_key_id, cap, value, starts_on, percent)
    SELECT u.key, u.cap, u.value, u.starts_on, p FROM used u CROSS JOIN unnest(ARRAY[80, 100]) p WHERE u.used * 100 >= u.micros * p
    ON CONFLICT DO NOTHING RETURNING *)
  SELECT count(add_event(e.id, 'key.cap_reached', json_strip_nulls(json_build_object('key_id', u.key, 'cap', u.cap, 'value', u.words, 'percent', r.percent,
                                                    'limit', format_dollars(u.micros), 'used', format_dollars(u.used))), u.task))
    FROM reached r JOIN used u ON u.key = r.api_key_id AND u.cap = r.cap AND u.value = r.value
    JOIN endpoints e ON e.account_id = u.account_id AND 'key.cap_reached' = ANY (e.types) INTO told;
  RETURN NULL;
END $$;

CREATE FUNCTION notice_low_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_event(e.id, 'account.balance_low', json_build_object('account_id', NEW.id, 'balance', format_dollars(NEW.balance_micros),
                                                                   'threshold', format_dollars(e.threshold_micros)), NULL)
     FROM endpoints e
    WHERE (e.account_id = NEW.id OR e.account_id IS NULL) AND 'account.balance_low' = ANY (e.types)
      AND e.threshold_micros > NEW.balance_micros AND e.threshold_micros <= OLD.balance_micros ORDER BY e.id;
  RETURN NULL;
END $$;

CREATE FUNCTION recount() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE accounts, tasks, usage_records, provider_calls, webhook_deliveries IN SHARE ROW EXCLUSIVE MODE;
  PERFORM recount_accounts();
  PERFORM recount_lists();
  PERFORM recount_deliveries();
  PERFORM recount_webhooks();
  PERFORM recount_failed_tasks();
  PERFORM recount_key_spend();
  PERFORM recount_hours();
END $$;

CREATE FUNCTION recount_accounts() RETURNS void LANGUAGE plpgsql
    SET work_mem TO '256MB' AS $$
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

CREATE FUNCTION recount_deliveries() RETURNS void LANGUAGE plpgsql
    SET work_mem TO '256MB' AS $$
BEGIN
  DELETE FROM delivery_counts;
  INSERT INTO delivery_counts (account_id, starts_at, deliveries, delivered, failed)
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(created_at) END, count(*),
         count(*) FILTER (WHERE state = 'delivered'), count(*) FILTER (WHERE state = 'failed')
    FROM (SELECT account_id, created_at, state,
                 (rank() OVER (PARTITION BY account_id ORDER BY created_at) - 1) / list_bucket_size() AS bucket FROM webhook_deliveries) w
   GROUP BY account_id, bucket;
END $$;

CREATE FUNCTION recount_failed_tasks() RETURNS void LANGUAGE plpgsql
    SET work_mem TO '256MB' AS $$
BEGIN
  DELETE FROM failed_task_counts;
  INSERT INTO failed_task_counts (account_id, starts_at, total)
  SELECT account_id, starts_at, sum(tasks) OVER (PARTITION BY account_id ORDER BY starts_at)
    FROM (SELECT account_id, GREATEST(date_trunc('second', completed_at), now() - interval '1000000 seconds') AS starts_at, count(*) AS tasks
            FROM tasks WHERE status = 'failed' AND is_caller_failure(failure) GROUP BY 1, 2) t;
END $$;

CREATE FUNCTION recount_hours() RETURNS void LANGUAGE plpgsql
    SET work_mem TO '256MB' AS $$
BEGIN
  DELETE FROM task_hours;
  INSERT INTO task_hours (hour, model, lane, completed, failed, images, charged_micros, waits, durations)
  SELECT date_trunc('hour', n.completed_at, 'UTC'), n.model, 0,
         count(*) FILTER (WHERE n.status = 'completed'), count(*) FILTER (WHERE n.status = 'failed'),
         COALESCE(sum(n.stored_count) FILTER (WHERE n.status = 'completed'), 0), sum(n.cost_micros),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.started_at - n.created_at)::float8 * 1000), array_agg(1)),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.completed_at - n.created_at)::float8 * 1000) FILTER (WHERE n.status = 'completed'),
                          array_agg(1) FILTER (WHERE n.status = 'completed'))
    FROM tasks n WHERE n.status <> 'pending' GROUP BY 1, 2;
  INSERT INTO task_hours AS h (hour, model, lane, failed_webhooks)
  SELECT date_trunc('hour', COALESCE((SELECT max(x.ended_at) FROM webhook_attempts x WHERE x.delivery_id = w.id), w.created_at), 'UTC'), t.model, 0, count(*)
    FROM webhook_deliveries w JOIN tasks t ON t.id = w.task_id WHERE w.state = 'failed' GROUP BY 1, 2
  ON CONFLICT (hour, model, lane) DO UPDATE SET failed_webhooks = h.failed_webhooks + EXCLUDED.failed_webhooks;
  DELETE FROM provider_call_hours WHERE hour NOT IN (SELECT hour FROM provider_call_hours WHERE deleted <> 0);
  INSERT INTO provider_call_hours
         (hour, provider, model, public_model, quality, state, detail, lane, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, t.model, COALESCE(t.quality, ''), c.state, COALESCE(c.detail, ''), 0,
         count(*), sum(c.images_asked), sum(COALESCE(c.cost_micros, 0)),
         COALESCE(sum(EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                          array_agg(1) FILTER (WHERE c.state = 'succeeded'))
    FROM provider_calls c JOIN tasks t ON t.id = c.task_id
   WHERE c.state NOT IN ('started', 'submitted')
     AND NOT EXISTS (SELECT 1 FROM provider_call_hours h WHERE h.hour = date_trunc('hour', c.created_at, 'UTC') AND h.deleted <> 0)
   GROUP BY 1, 2, 3, 4, 5, 6, 7;
END $$;

CREATE FUNCTION recount_key_spend() RETURNS void LANGUAGE plpgsql
    SET work_mem TO '256MB' AS $$
BEGIN
  DELETE FROM key_spend;
  INSERT INTO key_spend (account_id, api_key_id, day, held_micros, spent_micros, is_newest, month_before_micros, total_before_micros)
  SELECT d.account_id, d.api_key_id, d.day, d.held, d.spent, lead(d.day) OVER days IS NULL,
         COALESCE(sum(d.held + d.spent) OVER (PARTITION BY d.account_id, d.api_key_id, date_trunc('month', d.day::timestamp) ORDER BY d.day
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
         COALESCE(sum(d.held + d.spent) OVER (days ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
    FROM (SELECT account_id, api_key_id, (created_at AT TIME ZONE 'UTC')::date AS day,
                 sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END) AS held, sum(cost_micros) AS spent
            FROM tasks WHERE api_key_id <> 'key_playground' GROUP BY 1, 2, 3) d
  WINDOW days AS (PARTITION BY d.account_id, d.api_key_id ORDER BY d.day);
  DELETE FROM key_value_spend;
  INSERT INTO key_value_spend (account_id, api_key_id, value, day, held_micros, spent_micros)
  SELECT account_id, api_key_id, cap_value, (created_at AT TIME ZONE 'UTC')::date,
         sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END), sum(cost_micros)
    FROM tasks WHERE cap_value IS NOT NULL AND created_at >= date_trunc('day', now(), 'UTC') - interval '1 day' GROUP BY 1, 2, 3, 4;
END $$;

CREATE FUNCTION recount_lists() RETURNS void LANGUAGE plpgsql
    SET work_mem TO '256MB' AS $$
BEGIN
  DELETE FROM task_counts;
  INSERT INTO task_counts (account_id, starts_at, model, type, tasks, completed, failed)
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(min(created_at)) OVER (PARTITION BY account_id, bucket) END, model, type,
         count(*), count(*) FILTER (WHERE status = 'completed'), count(*) FILTER (WHERE status = 'failed')
    FROM (SELECT account_id, created_at, model, type, status,
                 (rank() OVER (PARTITION BY account_id ORDER BY created_at) - 1) / list_bucket_size() AS bucket
            FROM tasks WHERE deleted_at IS NULL) t
   GROUP BY account_id, bucket, model, type;
  DELETE FROM usage_counts;
  INSERT INTO usage_counts (account_id, starts_at, model, api_key_id, quality, records, units, cost_micros)
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(min(created_at)) OVER (PARTITION BY account_id, bucket) END, model, api_key_id,
         quality, count(*), sum(units), sum(cost_micros)
    FROM (SELECT r.account_id, r.created_at, r.model, r.api_key_id, COALESCE(t.quality, '') AS quality, r.units, r.cost_micros,
                 (rank() OVER (PARTITION BY r.account_id ORDER BY r.created_at) - 1) / list_bucket_size() AS bucket
            FROM usage_records r JOIN tasks t ON t.id = r.task_id) u
   GROUP BY account_id, bucket, model, api_key_id, quality;
END $$;

CREATE FUNCTION recount_webhooks() RETURNS void LANGUAGE plpgsql
    SET work_mem TO '256MB' AS $$
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

CREATE FUNCTION refuse_change_of_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END $$;

CREATE FUNCTION refuse_change_of_finished_task() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE FUNCTION refuse_falling_task_counters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'attempt, stored_count and call_count of task % never fall', OLD.id USING ERRCODE = 'check_violation';
END $$;

CREATE FUNCTION set_audit_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.account_id := CASE NEW.detail ->> 'actor' WHEN 'sign-up' THEN NEW.subject
    ELSE (SELECT o.account_id FROM auth_users u JOIN account_users o ON o.user_id = u.id
           WHERE u.email = NEW.detail ->> 'actor' AND u.role = 'owner') END;
  RETURN NEW;
END $$;

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

CREATE FUNCTION sum_costs_of_day() RETURNS TABLE(provider text, micros bigint) LANGUAGE sql STABLE AS $$
  WITH day AS (SELECT date_trunc('day', now()::timestamptz(3), 'UTC') AS starts)
  SELECT c.provider, sum(c.micros)::int8 FROM (
    SELECT h.provider, h.cost_micros AS micros FROM provider_call_hours h, day
     WHERE h.hour >= day.starts AND h.hour < day.starts + interval '24 hours'
    UNION ALL
    SELECT o.provider, COALESCE(o.cost_micros, 0) FROM provider_calls o, day
     WHERE o.state IN ('started', 'submitted') AND o.created_at >= day.starts AND o.created_at < day.starts + interval '24 hours'
    UNION ALL
    SELECT k.provider, k.cost_micros FROM provider_checks k, day
     WHERE k.cost_micros > 0 AND k.created_at >= day.starts AND k.created_at < day.starts + interval '24 hours') c
   GROUP BY c.provider
$$;

CREATE FUNCTION sum_key_spend(account text, key text, whole boolean, OUT day_micros bigint, OUT month_micros bigint, OUT total_micros bigint) RETURNS record LANGUAGE plpgsql AS $$
DECLARE
  origin text := (SELECT k.family FROM api_keys k WHERE k.id = key);
BEGIN
  IF origin IS NULL THEN
    SELECT s.day_micros, s.month_micros, s.total_micros INTO day_micros, month_micros, total_micros
      FROM sum_single_key_spend(account, key, whole) s;
  ELSE
    SELECT sum(s.day_micros), sum(s.month_micros), sum(s.total_micros) INTO day_micros, month_micros, total_micros
      FROM api_keys k CROSS JOIN LATERAL sum_single_key_spend(account, k.id, whole) s
     WHERE k.account_id = account AND k.family = origin;
  END IF;
END $$;

CREATE FUNCTION sum_single_key_spend(account text, key text, whole boolean, OUT day_micros bigint, OUT month_micros bigint, OUT total_micros bigint) RETURNS record LANGUAGE plpgsql AS $$
DECLARE
  today date := (now()::timestamptz(3) AT TIME ZONE 'UTC')::date;
  month date := date_trunc('month', today::timestamp)::date;
  newest date;
BEGIN
  SELECT s.day, CASE WHEN s.day = today THEN s.held_micros + s.spent_micros ELSE 0 END,
         CASE WHEN s.day >= month THEN s.month_before_micros + s.held_micros + s.spent_micros ELSE 0 END,
         s.total_before_micros + s.held_micros + s.spent_micros
    INTO newest, day_micros, month_micros, total_micros
    FROM key_spend s WHERE s.account_id = account AND s.api_key_id = key ORDER BY s.day DESC LIMIT 1;
  IF newest IS NULL THEN
    day_micros := 0; month_micros := 0; total_micros := 0;
  ELSIF newest > today THEN
    SELECT COALESCE(sum(s.held_micros + s.spent_micros) FILTER (WHERE s.day = today), 0),
           COALESCE(sum(s.held_micros + s.spent_micros) FILTER (WHERE date_trunc('month', s.day::timestamp)::date = month), 0),
           COALESCE(sum(s.held_micros + s.spent_micros), 0)
      INTO day_micros, month_micros, total_micros
      FROM key_spend s WHERE s.account_id = account AND s.api_key_id = key AND (whole OR s.day >= month);
  END IF;
END $$;

CREATE FUNCTION sum_value_spend(account text, key text, of_value bytea) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT COALESCE(sum(s.held_micros + s.spent_micros), 0) FROM key_value_spend s
           WHERE s.account_id = account AND s.value = of_value AND s.day = (now()::timestamptz(3) AT TIME ZONE 'UTC')::date
             AND s.api_key_id IN (SELECT key UNION ALL SELECT m.id FROM api_keys k JOIN api_keys m ON m.account_id = account AND m.family = k.family
                                   WHERE k.id = key));
END $$;

CREATE FUNCTION take_signup_credit(account text, mail_address text, client_network text, amount bigint, day_limit bigint, network_limit integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  today timestamptz := date_trunc('day', now(), 'UTC');
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('signup_credits'));
  IF (SELECT COALESCE(sum(c.amount_micros), 0) FROM signup_credits c WHERE c.created_at >= today) + amount > day_limit
     OR (SELECT count(*) FROM signup_credits c WHERE c.created_at >= today AND c.network = client_network) >= network_limit THEN
    RETURN 'exhausted';
  END IF;
  INSERT INTO signup_credits (account_id, address, network, amount_micros) VALUES (account, mail_address, client_network, amount)
  ON CONFLICT DO NOTHING;
  RETURN CASE WHEN FOUND THEN 'granted' ELSE 'had one' END;
END $$;

CREATE FUNCTION without_metadata(body text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT '{' || string_agg(to_json(e.key)::text || ':' || CASE e.key WHEN 'data' THEN d.data ELSE e.value::text END, ',' ORDER BY e.place) || '}'
    FROM json_each(body::json) WITH ORDINALITY e(key, value, place)
    LEFT JOIN LATERAL (
      SELECT '{' || string_agg(to_json(f.key)::text || ':' || f.value::text, ',' ORDER BY f.place) || '}' AS data
        FROM json_each(CASE e.key WHEN 'data' THEN e.value END) WITH ORDINALITY f(key, value, place) WHERE f.key NOT IN ('metadata', 'value')) d ON true
$$;

-- Tables, with their keys and indexes

CREATE TABLE accounts (
    id text NOT NULL,
    email text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    balance_micros bigint DEFAULT 0 NOT NULL,
    held_micros bigint DEFAULT 0 NOT NULL,
    task_count bigint DEFAULT 0 NOT NULL,
    open_count integer DEFAULT 0 NOT NULL,
    usage_count bigint DEFAULT 0 NOT NULL,
    webhook_secret text NOT NULL,
    webhook_secret_previous text,
    webhook_secret_previous_until timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    key_requests_per_minute integer,
    max_open_tasks integer,
    webhook_count bigint DEFAULT 0 NOT NULL,
    failed_tasks_seconds integer,
    max_failed_tasks integer,
    requests_seconds integer DEFAULT 60,
    erased_count bigint DEFAULT 0 NOT NULL,
    retention_days integer,
    max_requests integer,
    suspension_reason text,
    CONSTRAINT accounts_balance CHECK ((balance_micros >= 0)),
    CONSTRAINT accounts_counts CHECK (((task_count >= 0) AND (open_count >= 0) AND (usage_count >= 0))),
    CONSTRAINT accounts_failed_task_rate CHECK ((((max_failed_tasks IS NULL) = (failed_tasks_seconds IS NULL)) AND (max_failed_tasks > 0) AND (failed_tasks_seconds > 0))),
    CONSTRAINT accounts_held CHECK (((held_micros >= 0) AND (held_micros <= balance_micros))),
    CONSTRAINT accounts_limits CHECK (((max_open_tasks > 0) AND (key_requests_per_minute > 0))),
    CONSTRAINT accounts_max_requests CHECK ((max_requests > 0)),
    CONSTRAINT accounts_request_rate CHECK ((requests_seconds > 0)),
    CONSTRAINT accounts_status CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text]))),
    CONSTRAINT accounts_pkey PRIMARY KEY (id)
)
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE UNIQUE INDEX accounts_email_key ON accounts (email);
CREATE INDEX accounts_created_at_id_idx ON accounts (created_at DESC, id DESC);

CREATE TABLE api_keys (
    id text NOT NULL,
    account_id text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL,
    expires_at timestamp(3) with time zone,
    revoked_at timestamp(3) with time zone,
    last_used_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    allowed_cidrs text[] DEFAULT ARRAY[]::text[] NOT NULL,
    cap_day_micros bigint,
    cap_month_micros bigint,
    cap_total_micros bigint,
    models text[] DEFAULT ARRAY[]::text[] NOT NULL,
    scopes text[] DEFAULT ARRAY['generate'::text, 'read'::text] NOT NULL,
    join_equal boolean DEFAULT false NOT NULL,
    cap_per_key text,
    cap_per_micros bigint,
    family text,
    CONSTRAINT api_keys_cap_per CHECK ((((cap_per_key IS NULL) = (cap_per_micros IS NULL)) AND (cap_per_micros > 0))),
    CONSTRAINT api_keys_caps CHECK (((cap_day_micros > 0) AND (cap_month_micros > 0) AND (cap_total_micros > 0))),
    CONSTRAINT api_keys_expires_at CHECK ((expires_at < '10000-01-01 00:00:00+00'::timestamp with time zone)),
    CONSTRAINT api_keys_scopes CHECK (((scopes <@ ARRAY['generate'::text, 'read'::text, 'delete'::text]) AND (cardinality(scopes) > 0))),
    CONSTRAINT api_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);
CREATE INDEX api_keys_account_id_created_at_idx ON api_keys (account_id, created_at);
CREATE INDEX api_keys_ended ON api_keys (LEAST(revoked_at, expires_at)) WHERE (LEAST(revoked_at, expires_at) IS NOT NULL);

CREATE TABLE tasks (
    id text NOT NULL,
    account_id text NOT NULL,
    api_key_id text NOT NULL,
    request_id text NOT NULL,
    model text NOT NULL,
    type text NOT NULL,
    prompt text NOT NULL,
    negative_prompt text,
    aspect_ratio text NOT NULL,
    resolution text NOT NULL,
    num_outputs integer NOT NULL,
    duration integer,
    image_urls text[],
    webhook_url text,
    status text DEFAULT 'pending'::text NOT NULL,
    phase text DEFAULT 'queued'::text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    settled_attempt integer,
    stored_count integer DEFAULT 0 NOT NULL,
    call_count integer DEFAULT 0 NOT NULL,
    worker_id text,
    due_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    lease_until timestamp(3) with time zone,
    deadline_at timestamp(3) with time zone NOT NULL,
    unit_micros bigint NOT NULL,
    hold_micros bigint NOT NULL,
    cost_micros bigint DEFAULT 0 NOT NULL,
    idem_key text,
    idem_fingerprint bytea,
    error text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    started_at timestamp(3) with time zone,
    completed_at timestamp(3) with time zone,
    clean_attempt integer DEFAULT 0 NOT NULL,
    settle_error text,
    settle_failed_at timestamp(3) with time zone,
    settle_failures integer DEFAULT 0 NOT NULL,
    sweep_after timestamp(3) with time zone,
    catalog_version integer,
    cancel_requested_at timestamp(3) with time zone,
    traceparent text,
    deleted_at timestamp(3) with time zone,
    erased_at timestamp(3) with time zone,
    background text,
    idem_added bytea,
    mask text,
    output_format text,
    quality text,
    seed bigint,
    unused text[],
    wishes jsonb,
    failure text,
    shape_ratios text[],
    metadata jsonb,
    cap_value bytea,
    CONSTRAINT tasks_completed CHECK (((status <> 'completed'::text) OR (stored_count > 0))),
    CONSTRAINT tasks_completed_at CHECK (((status = 'pending'::text) = (completed_at IS NULL))),
    CONSTRAINT tasks_cost CHECK ((cost_micros =
CASE status
    WHEN 'completed'::text THEN (unit_micros * stored_count)
    ELSE (0)::bigint
END)),
    CONSTRAINT tasks_counts CHECK (((attempt >= 0) AND (tries >= 0) AND (call_count >= 0) AND ((stored_count >= 0) AND (stored_count <= num_outputs)))),
    CONSTRAINT tasks_done CHECK (((status = 'pending'::text) = (phase <> 'done'::text))),
    CONSTRAINT tasks_error CHECK (((status = 'failed'::text) = (error IS NOT NULL))),
    CONSTRAINT tasks_idem CHECK (((idem_key IS NULL) = (idem_fingerprint IS NULL))),
    CONSTRAINT tasks_lease CHECK (((phase = 'running'::text) = (lease_until IS NOT NULL))),
    CONSTRAINT tasks_phase CHECK ((phase = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text]))),
    CONSTRAINT tasks_prices CHECK (((unit_micros > 0) AND (hold_micros = (unit_micros * num_outputs)))),
    CONSTRAINT tasks_settled_attempt CHECK (((status = 'pending'::text) = (settled_attempt IS NULL))),
    CONSTRAINT tasks_status CHECK ((status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text]))),
    CONSTRAINT tasks_times CHECK (((started_at >= created_at) AND (completed_at >= COALESCE(started_at, created_at)))),
    CONSTRAINT tasks_type CHECK ((type = ANY (ARRAY['image_generate'::text, 'image_edit'::text]))),
    CONSTRAINT tasks_pkey PRIMARY KEY (id)
)
WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.005, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX tasks_account_id_created_at_id_idx ON tasks (account_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX tasks_idem_key ON tasks (account_id, idem_key) WHERE (idem_key IS NOT NULL);
CREATE INDEX tasks_failed ON tasks (completed_at) WHERE (status = 'failed'::text);
CREATE INDEX tasks_due ON tasks (due_at) WHERE ((status = 'pending'::text) AND (phase = 'queued'::text) AND (tries >= 0));
CREATE INDEX tasks_lease ON tasks (lease_until) WHERE ((status = 'pending'::text) AND (phase = 'running'::text) AND (tries >= 0));
CREATE INDEX tasks_deadline ON tasks (deadline_at) WHERE ((status = 'pending'::text) AND (tries >= 0));
CREATE INDEX tasks_turns ON tasks (account_id, due_at) WHERE ((status = 'pending'::text) AND (phase = 'queued'::text) AND (attempt >= 0));
CREATE INDEX tasks_set_aside ON tasks (settle_failed_at) WHERE ((status = 'pending'::text) AND (settle_failures > 0));
CREATE INDEX tasks_with_quality ON tasks (completed_at) WHERE (quality IS NOT NULL);
CREATE INDEX tasks_playground ON tasks (account_id, created_at DESC, id DESC) WHERE (api_key_id = 'key_playground'::text);

CREATE TABLE task_outputs (
    task_id text NOT NULL,
    index integer NOT NULL,
    slot integer NOT NULL,
    key text NOT NULL,
    content_type text NOT NULL,
    bytes integer NOT NULL,
    width integer NOT NULL,
    height integer NOT NULL,
    sha256 text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    quality text,
    revised_prompt text,
    seed bigint,
    CONSTRAINT task_outputs_index CHECK (((index >= 0) AND (slot >= 0))),
    CONSTRAINT task_outputs_size CHECK (((bytes > 0) AND (width > 0) AND (height > 0))),
    CONSTRAINT task_outputs_pkey PRIMARY KEY (task_id, index)
);
CREATE UNIQUE INDEX task_outputs_task_id_slot_key ON task_outputs (task_id, slot);

CREATE TABLE ledger_transfers (
    id text NOT NULL,
    kind text NOT NULL,
    debit_account text NOT NULL,
    credit_account text NOT NULL,
    amount_micros bigint NOT NULL,
    account_id text NOT NULL,
    task_id text,
    external_ref text,
    reason text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT ledger_transfers_amount CHECK ((amount_micros > 0)),
    CONSTRAINT ledger_transfers_kind CHECK (
CASE kind
    WHEN 'topup'::text THEN ((debit_account = 'cash'::text) AND (credit_account = ('cust:'::text || account_id)))
    WHEN 'capture'::text THEN ((debit_account = ('cust:'::text || account_id)) AND (credit_account = 'revenue'::text) AND (task_id IS NOT NULL))
    WHEN 'refund'::text THEN ((debit_account = 'revenue'::text) AND (credit_account = ('cust:'::text || account_id)) AND (task_id IS NOT NULL))
    WHEN 'adjust'::text THEN (((debit_account = 'revenue'::text) AND (credit_account = ('cust:'::text || account_id))) OR ((debit_account = ('cust:'::text || account_id)) AND (credit_account = 'revenue'::text)))
    ELSE false
END),
    CONSTRAINT ledger_transfers_pkey PRIMARY KEY (id)
);
CREATE INDEX ledger_transfers_account_id_created_at_idx ON ledger_transfers (account_id, created_at);
CREATE UNIQUE INDEX ledger_transfers_capture ON ledger_transfers (task_id) WHERE (kind = 'capture'::text);
CREATE UNIQUE INDEX ledger_transfers_refund ON ledger_transfers (task_id) WHERE (kind = 'refund'::text);
CREATE UNIQUE INDEX ledger_transfers_external_ref ON ledger_transfers (external_ref) WHERE (external_ref IS NOT NULL);
CREATE INDEX ledger_transfers_refunds ON ledger_transfers (account_id, created_at) WHERE (kind = 'refund'::text);
CREATE INDEX ledger_transfers_refunds_at ON ledger_transfers (created_at) WHERE (kind = 'refund'::text);

CREATE TABLE usage_records (
    id text NOT NULL,
    task_id text NOT NULL,
    account_id text NOT NULL,
    api_key_id text NOT NULL,
    model text NOT NULL,
    type text NOT NULL,
    units integer NOT NULL,
    cost_micros bigint NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    metadata jsonb,
    CONSTRAINT usage_records_units CHECK (((units > 0) AND (cost_micros >= 0))),
    CONSTRAINT usage_records_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX usage_records_task_id_key ON usage_records (task_id);
CREATE INDEX usage_records_account_id_created_at_id_idx ON usage_records (account_id, created_at DESC, id DESC);
CREATE INDEX usage_records_created_at_idx ON usage_records USING brin (created_at);

CREATE TABLE usage_daily (
    account_id text NOT NULL,
    api_key_id text NOT NULL,
    model text NOT NULL,
    day date NOT NULL,
    units bigint NOT NULL,
    cost_micros bigint NOT NULL,
    requests bigint NOT NULL,
    CONSTRAINT usage_daily_pkey PRIMARY KEY (account_id, day, model, api_key_id)
);
CREATE INDEX usage_daily_day_idx ON usage_daily (day);

CREATE TABLE webhook_deliveries (
    id text NOT NULL,
    task_id text NOT NULL,
    account_id text NOT NULL,
    url text NOT NULL,
    host_port text NOT NULL,
    body text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    next_attempt_at timestamp(3) with time zone,
    lease_until timestamp(3) with time zone,
    last_status integer,
    last_error text,
    delivered_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    erase_metadata boolean DEFAULT false NOT NULL,
    CONSTRAINT webhook_deliveries_attempt CHECK ((attempt >= 0)),
    CONSTRAINT webhook_deliveries_due CHECK (((state = 'pending'::text) = (next_attempt_at IS NOT NULL))),
    CONSTRAINT webhook_deliveries_lease CHECK (((state = 'sending'::text) = (lease_until IS NOT NULL))),
    CONSTRAINT webhook_deliveries_state CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'failed'::text]))),
    CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id)
)
WITH (autovacuum_vacuum_scale_factor = 0.005, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02);
CREATE UNIQUE INDEX webhook_deliveries_task_id_key ON webhook_deliveries (task_id);
CREATE INDEX webhook_deliveries_next ON webhook_deliveries (next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_leases ON webhook_deliveries (lease_until) WHERE (state = 'sending'::text);
CREATE INDEX webhook_deliveries_hosts ON webhook_deliveries (host_port, next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX webhook_deliveries_account_id_created_at_id_idx ON webhook_deliveries (account_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (created_at) WHERE (state = 'failed'::text);
CREATE INDEX webhook_deliveries_turns ON webhook_deliveries (account_id, next_attempt_at) WHERE ((state = 'pending'::text) AND (attempt >= 0));
CREATE INDEX webhook_deliveries_receivers ON webhook_deliveries (account_id, host_port, next_attempt_at) WHERE ((state = 'pending'::text) AND (lease_until IS NULL));

CREATE TABLE provider_calls (
    id text NOT NULL,
    task_id text NOT NULL,
    attempt integer NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    images_asked integer NOT NULL,
    slots integer[],
    provider_request_id text,
    key_fingerprint text,
    state text NOT NULL,
    detail text,
    cost_micros bigint,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    finished_at timestamp(3) with time zone,
    job_handle text,
    CONSTRAINT provider_calls_slots CHECK (((images_asked = cardinality(slots)) AND (images_asked > 0))),
    CONSTRAINT provider_calls_state CHECK ((state = ANY (ARRAY['started'::text, 'submitted'::text, 'succeeded'::text, 'short'::text, 'unusable'::text, 'failed'::text, 'rate_limited'::text, 'refused'::text, 'unknown'::text, 'cut'::text]))),
    CONSTRAINT provider_calls_pkey PRIMARY KEY (id)
)
WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
CREATE INDEX provider_calls_task_id_created_at_idx ON provider_calls (task_id, created_at);
CREATE INDEX provider_calls_open ON provider_calls (task_id) WHERE (state = ANY (ARRAY['started'::text, 'submitted'::text]));
CREATE INDEX provider_calls_created_at_idx ON provider_calls (created_at);
CREATE INDEX provider_calls_refused ON provider_calls (created_at) WHERE (detail = ANY (ARRAY['moderation'::text, 'auth'::text, 'billing'::text, 'quota'::text, 'model-quota'::text, 'no-access'::text, 'model-gone'::text, 'geo'::text]));

CREATE TABLE orphan_checks (
    task_id text NOT NULL,
    round integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT orphan_checks_pkey PRIMARY KEY (task_id)
);
CREATE INDEX orphan_checks_due_at_idx ON orphan_checks (due_at);

CREATE TABLE audit_entries (
    id text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    detail jsonb NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    account_id text,
    CONSTRAINT audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_created_at_id_idx ON audit_entries (created_at DESC, id DESC);
CREATE INDEX audit_entries_subject_created_at_id_idx ON audit_entries (subject, created_at DESC, id DESC);
CREATE INDEX audit_entries_of_operators ON audit_entries (created_at DESC, id DESC) WHERE (account_id IS NULL);
CREATE INDEX audit_entries_of_owners ON audit_entries (created_at) WHERE (account_id IS NOT NULL);
CREATE INDEX audit_entries_by_action ON audit_entries (action, created_at DESC, id DESC);
CREATE INDEX audit_entries_by_actor ON audit_entries (((detail ->> 'actor'::text)), created_at DESC, id DESC);

CREATE TABLE auth_users (
    id text NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    email_verified boolean DEFAULT false NOT NULL,
    image text,
    role text DEFAULT 'owner'::text NOT NULL,
    banned boolean DEFAULT false NOT NULL,
    ban_reason text,
    ban_expires timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT auth_users_role CHECK ((role = ANY (ARRAY['owner'::text, 'operator'::text]))),
    CONSTRAINT auth_users_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX auth_users_email_key ON auth_users (email);

CREATE TABLE auth_sessions (
    id text NOT NULL,
    token text NOT NULL,
    user_id text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    ip_address text,
    user_agent text,
    impersonated_by text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT auth_sessions_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX auth_sessions_token_key ON auth_sessions (token);
CREATE INDEX auth_sessions_user_id_idx ON auth_sessions (user_id);
CREATE INDEX auth_sessions_expires_at_idx ON auth_sessions (expires_at);

CREATE TABLE auth_accounts (
    id text NOT NULL,
    account_id text NOT NULL,
    provider_id text NOT NULL,
    user_id text NOT NULL,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at timestamp(3) with time zone,
    refresh_token_expires_at timestamp(3) with time zone,
    scope text,
    password text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT auth_accounts_pkey PRIMARY KEY (id)
);
CREATE INDEX auth_accounts_user_id_idx ON auth_accounts (user_id);
CREATE UNIQUE INDEX auth_accounts_provider_id_account_id_key ON auth_accounts (provider_id, account_id);

CREATE TABLE auth_verifications (
    id text NOT NULL,
    identifier text NOT NULL,
    value text NOT NULL,
    expires_at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    updated_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT auth_verifications_pkey PRIMARY KEY (id)
);
CREATE INDEX auth_verifications_identifier_idx ON auth_verifications (identifier);
CREATE INDEX auth_verifications_expires_at_idx ON auth_verifications (expires_at);

CREATE TABLE account_users (
    account_id text NOT NULL,
    user_id text NOT NULL,
    CONSTRAINT account_users_pkey PRIMARY KEY (account_id, user_id)
);
CREATE UNIQUE INDEX account_users_user_id_key ON account_users (user_id);

CREATE TABLE worker_reports (
    id text NOT NULL,
    service text NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    started_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    seen_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    report jsonb NOT NULL,
    CONSTRAINT worker_reports_pkey PRIMARY KEY (id)
);

CREATE TABLE webhook_attempts (
    delivery_id text NOT NULL,
    attempt integer NOT NULL,
    status integer,
    error text,
    ended_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT webhook_attempts_attempt CHECK ((attempt > 0)),
    CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, attempt)
)
WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
CREATE INDEX webhook_attempts_ended_at_idx ON webhook_attempts (ended_at);

CREATE TABLE task_counts (
    account_id text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    model text NOT NULL,
    type text NOT NULL,
    tasks bigint DEFAULT 0 NOT NULL,
    completed bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    CONSTRAINT task_counts_counts CHECK (((completed >= 0) AND (failed >= 0) AND ((completed + failed) <= tasks))),
    CONSTRAINT task_counts_pkey PRIMARY KEY (account_id, starts_at, model, type)
)
WITH (fillfactor = 70);

CREATE TABLE usage_counts (
    account_id text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    model text NOT NULL,
    api_key_id text NOT NULL,
    records bigint DEFAULT 0 NOT NULL,
    units bigint DEFAULT 0 NOT NULL,
    cost_micros bigint DEFAULT 0 NOT NULL,
    quality text DEFAULT ''::text NOT NULL,
    CONSTRAINT usage_counts_counts CHECK (((records >= 0) AND (units >= 0) AND (cost_micros >= 0))),
    CONSTRAINT usage_counts_pkey PRIMARY KEY (account_id, starts_at, model, api_key_id, quality)
)
WITH (fillfactor = 70);

CREATE TABLE webhook_backlogs (
    account_id text NOT NULL,
    hosts integer NOT NULL,
    ended bigint NOT NULL,
    CONSTRAINT webhook_backlogs_pkey PRIMARY KEY (account_id)
);

CREATE TABLE webhook_hosts (
    account_id text NOT NULL,
    host_port text NOT NULL,
    pending integer NOT NULL,
    CONSTRAINT webhook_hosts_pkey PRIMARY KEY (account_id, host_port)
);

CREATE TABLE delivery_counts (
    account_id text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    deliveries bigint DEFAULT 0 NOT NULL,
    delivered bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    CONSTRAINT delivery_counts_pkey PRIMARY KEY (account_id, starts_at)
)
WITH (fillfactor = 70);

CREATE TABLE abandoned_calls (
    call_id text NOT NULL,
    provider text NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    due_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT abandoned_calls_pkey PRIMARY KEY (call_id)
);
CREATE INDEX abandoned_calls_due_at_idx ON abandoned_calls (due_at);

CREATE TABLE sweep_turns (
    name text NOT NULL,
    due_at timestamp(3) with time zone NOT NULL,
    CONSTRAINT sweep_turns_pkey PRIMARY KEY (name)
);

CREATE TABLE failed_task_counts (
    account_id text NOT NULL,
    starts_at timestamp(3) with time zone NOT NULL,
    total bigint NOT NULL,
    CONSTRAINT failed_task_counts_pkey PRIMARY KEY (account_id, starts_at)
)
WITH (fillfactor = 70);

CREATE TABLE catalog_versions (
    id integer NOT NULL,
    source text NOT NULL,
    document jsonb NOT NULL,
    digest text NOT NULL,
    origin text NOT NULL,
    note text,
    created_by text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    rollback_of integer,
    CONSTRAINT catalog_versions_digest CHECK ((digest = encode(sha256(convert_to(source, 'UTF8'::name)), 'hex'::text))),
    CONSTRAINT catalog_versions_id CHECK ((id > 0)),
    CONSTRAINT catalog_versions_origin CHECK ((origin = ANY (ARRAY['built-in'::text, 'file'::text, 'cli'::text, 'edit'::text, 'page'::text]))),
    CONSTRAINT catalog_versions_pkey PRIMARY KEY (id)
);

CREATE TABLE webhook_tests (
    id text NOT NULL,
    account_id text NOT NULL,
    request_id text NOT NULL,
    slot integer NOT NULL,
    url text NOT NULL,
    host_port text NOT NULL,
    body text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    lease_until timestamp(3) with time zone,
    status integer,
    error text,
    started_at timestamp(3) with time zone,
    ended_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT webhook_tests_end CHECK (((state = ANY (ARRAY['delivered'::text, 'failed'::text])) = (ended_at IS NOT NULL))),
    CONSTRAINT webhook_tests_lease CHECK (((state = 'sending'::text) = (lease_until IS NOT NULL))),
    CONSTRAINT webhook_tests_slot CHECK (((slot >= 1) AND (slot <= 5))),
    CONSTRAINT webhook_tests_state CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'failed'::text]))),
    CONSTRAINT webhook_tests_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_tests_created_at_idx ON webhook_tests (created_at);
CREATE UNIQUE INDEX webhook_tests_open_slot ON webhook_tests (account_id, slot) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text]));
CREATE INDEX webhook_tests_open ON webhook_tests (created_at) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text]));
CREATE INDEX webhook_tests_account_id_created_at_idx ON webhook_tests (account_id, created_at DESC);

CREATE TABLE key_spend (
    account_id text NOT NULL,
    api_key_id text NOT NULL,
    day date NOT NULL,
    held_micros bigint DEFAULT 0 NOT NULL,
    spent_micros bigint DEFAULT 0 NOT NULL,
    is_newest boolean DEFAULT true NOT NULL,
    month_before_micros bigint,
    total_before_micros bigint,
    CONSTRAINT key_spend_amounts CHECK (((held_micros >= 0) AND (spent_micros >= 0))),
    CONSTRAINT key_spend_pkey PRIMARY KEY (account_id, api_key_id, day)
)
WITH (fillfactor = 70);

CREATE TABLE task_hours (
    hour timestamp(3) with time zone NOT NULL,
    model text NOT NULL,
    lane smallint NOT NULL,
    completed bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    images bigint DEFAULT 0 NOT NULL,
    charged_micros bigint DEFAULT 0 NOT NULL,
    waits integer[] DEFAULT ARRAY[]::integer[] NOT NULL,
    durations integer[] DEFAULT ARRAY[]::integer[] NOT NULL,
    failed_webhooks bigint DEFAULT 0 NOT NULL,
    CONSTRAINT task_hours_pkey PRIMARY KEY (hour, model, lane)
)
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

CREATE TABLE provider_call_hours (
    hour timestamp(3) with time zone NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    state text NOT NULL,
    detail text NOT NULL,
    lane smallint NOT NULL,
    calls bigint DEFAULT 0 NOT NULL,
    images bigint DEFAULT 0 NOT NULL,
    cost_micros bigint DEFAULT 0 NOT NULL,
    total_ms bigint DEFAULT 0 NOT NULL,
    last_call_at timestamp(3) with time zone,
    durations integer[] DEFAULT ARRAY[]::integer[] NOT NULL,
    deleted bigint DEFAULT 0 NOT NULL,
    public_model text DEFAULT ''::text NOT NULL,
    quality text DEFAULT ''::text NOT NULL,
    CONSTRAINT provider_call_hours_pkey PRIMARY KEY (hour, provider, model, public_model, quality, state, detail, lane)
)
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

CREATE TABLE facade_requests (
    task_id text NOT NULL,
    account_id text NOT NULL,
    api_key_id text NOT NULL,
    fingerprint bytea NOT NULL,
    request_id text NOT NULL,
    process_id text NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    takeovers integer DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    changed_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    retry_count integer DEFAULT 0 NOT NULL,
    is_sole boolean DEFAULT false NOT NULL,
    added bytea,
    CONSTRAINT facade_requests_fingerprint CHECK ((octet_length(fingerprint) = 32)),
    CONSTRAINT facade_requests_state CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'abandoned'::text]))),
    CONSTRAINT facade_requests_pkey PRIMARY KEY (task_id)
)
WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 2000);
CREATE INDEX facade_requests_api_key_id_fingerprint_idx ON facade_requests (api_key_id, fingerprint);
CREATE INDEX facade_requests_state_changed_at_idx ON facade_requests (state, changed_at);
CREATE INDEX facade_requests_waiting ON facade_requests (process_id) WHERE (state = 'waiting'::text);
CREATE UNIQUE INDEX facade_requests_sole ON facade_requests (api_key_id, fingerprint, added) WHERE is_sole;

CREATE TABLE facade_processes (
    id text NOT NULL,
    renewed_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT facade_processes_pkey PRIMARY KEY (id)
)
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE task_inputs (
    id text NOT NULL,
    account_id text NOT NULL,
    task_id text,
    remove_at timestamp(3) with time zone NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    api_key_id text,
    bytes integer,
    content_type text,
    expires_at timestamp(3) with time zone,
    height integer,
    is_turned boolean,
    sha256 text,
    width integer,
    CONSTRAINT task_inputs_file CHECK (((num_nulls(api_key_id, bytes, content_type, expires_at, height, sha256, width) = ANY (ARRAY[0, 7])) AND ((bytes > 0) IS NOT FALSE) AND ((content_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text])) IS NOT FALSE))),
    CONSTRAINT task_inputs_pkey PRIMARY KEY (id)
);
CREATE INDEX task_inputs_remove_at_idx ON task_inputs (remove_at);
CREATE INDEX task_inputs_task_id_idx ON task_inputs (task_id);
CREATE INDEX task_inputs_unused ON task_inputs (account_id) WHERE (task_id IS NULL);
CREATE INDEX task_inputs_files ON task_inputs (account_id, expires_at) WHERE (expires_at IS NOT NULL);

CREATE TABLE retention_marks (
    account_id text NOT NULL,
    created_at timestamp(3) with time zone NOT NULL,
    task_id text NOT NULL,
    CONSTRAINT retention_marks_pkey PRIMARY KEY (account_id)
);

CREATE TABLE waiting_catalogs (
    id integer DEFAULT 1 NOT NULL,
    source text,
    from_version integer NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT waiting_catalogs_one CHECK ((id = 1)),
    CONSTRAINT waiting_catalogs_pkey PRIMARY KEY (id)
);

CREATE TABLE key_value_spend (
    account_id text NOT NULL,
    api_key_id text NOT NULL,
    value bytea NOT NULL,
    day date NOT NULL,
    held_micros bigint DEFAULT 0 NOT NULL,
    spent_micros bigint DEFAULT 0 NOT NULL,
    CONSTRAINT key_value_spend_not_negative CHECK (((held_micros >= 0) AND (spent_micros >= 0))),
    CONSTRAINT key_value_spend_pkey PRIMARY KEY (account_id, api_key_id, value, day)
);
CREATE INDEX key_value_spend_day_idx ON key_value_spend (day);

CREATE TABLE endpoints (
    id text NOT NULL,
    account_id text,
    slot integer NOT NULL,
    url text NOT NULL,
    host_port text NOT NULL,
    types text[],
    threshold_micros bigint,
    secret text NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp(3) with time zone,
    failing_told_on date,
    disabled_at timestamp(3) with time zone,
    dropped bigint DEFAULT 0 NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT endpoints_slot CHECK (((slot >= 1) AND (slot <= 10))),
    CONSTRAINT endpoints_threshold CHECK (((threshold_micros > 0) AND ((threshold_micros IS NOT NULL) OR (NOT ('account.balance_low'::text = ANY (types)))))),
    CONSTRAINT endpoints_pkey PRIMARY KEY (id)
);
CREATE INDEX endpoints_account_id_idx ON endpoints (account_id);
CREATE UNIQUE INDEX endpoints_slot_taken ON endpoints (COALESCE(account_id, ''::text), slot);

CREATE TABLE endpoint_deliveries (
    id text NOT NULL,
    endpoint_id text NOT NULL,
    account_id text,
    host_port text NOT NULL,
    type text NOT NULL,
    task_id text,
    body text NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    attempts jsonb DEFAULT '[]'::jsonb NOT NULL,
    next_attempt_at timestamp(3) with time zone,
    last_status integer,
    last_error text,
    delivered_at timestamp(3) with time zone,
    erase_metadata boolean DEFAULT false NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT endpoint_deliveries_due CHECK (((state = ANY (ARRAY['pending'::text, 'sending'::text])) = (next_attempt_at IS NOT NULL))),
    CONSTRAINT endpoint_deliveries_state CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'delivered'::text, 'failed'::text]))),
    CONSTRAINT endpoint_deliveries_pkey PRIMARY KEY (id)
);
CREATE INDEX endpoint_deliveries_endpoint_id_created_at_id_idx ON endpoint_deliveries (endpoint_id, created_at DESC, id DESC);
CREATE INDEX endpoint_deliveries_account_id_created_at_id_idx ON endpoint_deliveries (account_id, created_at DESC, id DESC);
CREATE INDEX endpoint_deliveries_created_at_idx ON endpoint_deliveries (created_at);
CREATE INDEX endpoint_deliveries_open ON endpoint_deliveries (next_attempt_at) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text]));
CREATE INDEX endpoint_deliveries_open_of ON endpoint_deliveries (endpoint_id, next_attempt_at) WHERE (state = ANY (ARRAY['pending'::text, 'sending'::text]));
CREATE INDEX endpoint_deliveries_task ON endpoint_deliveries (task_id) WHERE (task_id IS NOT NULL);

CREATE TABLE cap_notices (
    api_key_id text NOT NULL,
    cap text NOT NULL,
    value bytea NOT NULL,
    starts_on date NOT NULL,
    percent integer NOT NULL,
    CONSTRAINT cap_notices_pkey PRIMARY KEY (api_key_id, cap, value, starts_on, percent)
);
CREATE INDEX cap_notices_starts_on_idx ON cap_notices (starts_on);

CREATE TABLE signup_credits (
    account_id text NOT NULL,
    address text NOT NULL,
    network text NOT NULL,
    amount_micros bigint NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT signup_credits_amount CHECK ((amount_micros > 0)),
    CONSTRAINT signup_credits_pkey PRIMARY KEY (account_id)
);
CREATE UNIQUE INDEX signup_credits_address_key ON signup_credits (address);
CREATE INDEX signup_credits_created_at_idx ON signup_credits (created_at);

CREATE TABLE credit_requests (
    account_id text NOT NULL,
    day date NOT NULL,
    email text NOT NULL,
    amount_micros bigint,
    note text,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT credit_requests_amount CHECK ((amount_micros > 0)),
    CONSTRAINT credit_requests_pkey PRIMARY KEY (account_id, day)
);
CREATE INDEX credit_requests_created_at_idx ON credit_requests (created_at DESC);

CREATE TABLE installation (
    is_only boolean DEFAULT true NOT NULL,
    end_user_key text NOT NULL,
    CONSTRAINT installation_is_only CHECK (is_only),
    CONSTRAINT installation_pkey PRIMARY KEY (is_only)
);

CREATE TABLE provider_keys (
    name text NOT NULL,
    protocol text NOT NULL,
    host_port text NOT NULL,
    encryption_key_id text NOT NULL,
    nonce bytea NOT NULL,
    sealed bytea NOT NULL,
    last_four text NOT NULL,
    tested boolean NOT NULL,
    created_by text NOT NULL,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT provider_keys_pkey PRIMARY KEY (name)
);

CREATE TABLE provider_limits (
    name text NOT NULL,
    cost_day_micros bigint,
    paused_at timestamp(3) with time zone,
    paused_until timestamp(3) with time zone,
    CONSTRAINT provider_limits_values CHECK (((cost_day_micros >= 0) AND ((paused_until IS NULL) OR (paused_at IS NOT NULL)))),
    CONSTRAINT provider_limits_pkey PRIMARY KEY (name)
);

CREATE TABLE cost_notices (
    provider text NOT NULL,
    day date NOT NULL,
    ceiling_micros bigint NOT NULL,
    percent integer NOT NULL,
    CONSTRAINT cost_notices_pkey PRIMARY KEY (provider, day, ceiling_micros, percent)
);

CREATE TABLE operator_notices (
    type text NOT NULL,
    cause text NOT NULL,
    starts_on date NOT NULL,
    CONSTRAINT operator_notices_pkey PRIMARY KEY (type, cause, starts_on)
);

CREATE TABLE provider_checks (
    id text NOT NULL,
    provider text NOT NULL,
    model text,
    draws boolean DEFAULT false NOT NULL,
    slot integer NOT NULL,
    protocol text,
    host_port text,
    encryption_key_id text,
    nonce bytea,
    sealed bytea,
    state text DEFAULT 'pending'::text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    lease_until timestamp(3) with time zone,
    result jsonb,
    cost_micros bigint,
    created_by text NOT NULL,
    started_at timestamp(3) with time zone,
    ended_at timestamp(3) with time zone,
    created_at timestamp(3) with time zone DEFAULT CURRENT_TIMESTAMP NOT NULL,
    CONSTRAINT provider_checks_cost CHECK (((cost_micros IS NULL) OR (draws AND (cost_micros >= 0)))),
    CONSTRAINT provider_checks_end CHECK ((((state = 'done'::text) = (ended_at IS NOT NULL)) AND ((state = 'done'::text) = (result IS NOT NULL)))),
    CONSTRAINT provider_checks_keys CHECK (((sealed IS NULL) OR (state <> 'done'::text))),
    CONSTRAINT provider_checks_lease CHECK (((state = 'running'::text) = (lease_until IS NOT NULL))),
    CONSTRAINT provider_checks_slot CHECK (((slot >= 1) AND (slot <= 5))),
    CONSTRAINT provider_checks_state CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'done'::text]))),
    CONSTRAINT provider_checks_pkey PRIMARY KEY (id)
);
CREATE INDEX provider_checks_created_at_idx ON provider_checks (created_at);
CREATE UNIQUE INDEX provider_checks_open_slot ON provider_checks (slot) WHERE (state <> 'done'::text);

-- Checks that rows of then need not meet

ALTER TABLE accounts ADD CONSTRAINT accounts_erased_count CHECK ((erased_count >= 0)) NOT VALID;
ALTER TABLE accounts ADD CONSTRAINT accounts_retention_days CHECK ((retention_days > 0)) NOT VALID;
ALTER TABLE tasks ADD CONSTRAINT tasks_erased CHECK ((((erased_at IS NULL) OR ((status <> 'pending'::text) AND (prompt = ''::text) AND (negative_prompt IS NULL) AND (image_urls = '{}'::text[]))) AND ((deleted_at IS NULL) OR (erased_at IS NOT NULL)))) NOT VALID;
ALTER TABLE tasks ADD CONSTRAINT tasks_failure CHECK (((failure IS NULL) OR ((status = 'failed'::text) AND (failure = ANY (ARRAY['moderation'::text, 'refused_input'::text, 'upstream'::text, 'deadline'::text, 'canceled'::text, 'internal'::text, 'input_image'::text, 'operator'::text]))))) NOT VALID;
ALTER TABLE tasks ADD CONSTRAINT tasks_traceparent CHECK ((traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'::text)) NOT VALID;

-- Foreign keys

ALTER TABLE api_keys ADD CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE tasks ADD CONSTRAINT tasks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE task_outputs ADD CONSTRAINT task_outputs_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE ledger_transfers ADD CONSTRAINT ledger_transfers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE usage_records ADD CONSTRAINT usage_records_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE webhook_deliveries ADD CONSTRAINT webhook_deliveries_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE provider_calls ADD CONSTRAINT provider_calls_task_id_fkey FOREIGN KEY (task_id) REFERENCES tasks(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE auth_sessions ADD CONSTRAINT auth_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth_users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE auth_accounts ADD CONSTRAINT auth_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth_users(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE account_users ADD CONSTRAINT account_users_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE account_users ADD CONSTRAINT account_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth_users(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE webhook_attempts ADD CONSTRAINT webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE webhook_tests ADD CONSTRAINT webhook_tests_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE task_inputs ADD CONSTRAINT task_inputs_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE endpoints ADD CONSTRAINT endpoints_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON UPDATE CASCADE ON DELETE RESTRICT;
ALTER TABLE endpoint_deliveries ADD CONSTRAINT endpoint_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES endpoints(id) ON UPDATE CASCADE ON DELETE CASCADE;

-- Views

CREATE VIEW failed_delivery_days AS
 SELECT ((task_hours.hour AT TIME ZONE 'UTC'::text))::date AS day,
    sum(task_hours.failed_webhooks) AS failed
   FROM task_hours
  WHERE (task_hours.hour >= date_trunc('day'::text, now(), 'UTC'::text))
  GROUP BY (((task_hours.hour AT TIME ZONE 'UTC'::text))::date);

CREATE VIEW failed_task_days AS
 SELECT ((task_hours.hour AT TIME ZONE 'UTC'::text))::date AS day,
    sum(task_hours.failed) AS failed
   FROM task_hours
  WHERE (task_hours.hour >= date_trunc('day'::text, now(), 'UTC'::text))
  GROUP BY (((task_hours.hour AT TIME ZONE 'UTC'::text))::date);

CREATE VIEW model_cost_hours AS
 SELECT provider_call_hours.hour,
    provider_call_hours.public_model AS model,
    provider_call_hours.lane,
    provider_call_hours.cost_micros
   FROM provider_call_hours
  WHERE ((provider_call_hours.state <> 'rate_limited'::text) AND (provider_call_hours.public_model <> ''::text) AND (provider_call_hours.cost_micros <> 0));

-- Triggers

CREATE TRIGGER accounts_low_balance AFTER UPDATE OF balance_micros ON accounts FOR EACH ROW WHEN ((new.balance_micros < old.balance_micros)) EXECUTE FUNCTION notice_low_balance();
CREATE TRIGGER accounts_max_requests BEFORE UPDATE OF key_requests_per_minute, max_requests ON accounts FOR EACH ROW EXECUTE FUNCTION copy_max_requests();
CREATE TRIGGER tasks_abandon_calls AFTER UPDATE ON tasks FOR EACH ROW WHEN (((old.status = 'pending'::text) AND (new.status <> 'pending'::text) AND (new.call_count > 0))) EXECUTE FUNCTION note_abandoned_calls();
CREATE TRIGGER tasks_count_ended AFTER UPDATE ON tasks REFERENCING OLD TABLE AS previous NEW TABLE AS updated FOR EACH STATEMENT EXECUTE FUNCTION count_ended_tasks();
CREATE TRIGGER tasks_count_new AFTER INSERT ON tasks REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_new_tasks();
CREATE TRIGGER tasks_failure BEFORE UPDATE ON tasks FOR EACH ROW WHEN (((old.status = 'pending'::text) AND (new.status = 'failed'::text) AND (new.failure IS NULL))) EXECUTE FUNCTION set_failure();
CREATE TRIGGER tasks_finished BEFORE UPDATE ON tasks FOR EACH ROW WHEN ((old.status <> 'pending'::text)) EXECUTE FUNCTION refuse_change_of_finished_task();
CREATE TRIGGER tasks_notice_caps AFTER INSERT ON tasks REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION notice_caps();
CREATE TRIGGER tasks_rising BEFORE UPDATE ON tasks FOR EACH ROW WHEN (((new.attempt < old.attempt) OR (new.stored_count < old.stored_count) OR (new.call_count < old.call_count))) EXECUTE FUNCTION refuse_falling_task_counters();
CREATE TRIGGER ledger_transfers_append_only BEFORE DELETE OR UPDATE ON ledger_transfers FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
CREATE TRIGGER usage_records_append_only BEFORE DELETE ON usage_records FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
CREATE TRIGGER usage_records_count AFTER INSERT ON usage_records REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_new_usage();
CREATE TRIGGER usage_records_metadata BEFORE INSERT ON usage_records FOR EACH ROW WHEN ((new.metadata IS NULL)) EXECUTE FUNCTION copy_metadata();
CREATE TRIGGER usage_records_unchanged BEFORE UPDATE ON usage_records FOR EACH ROW WHEN (((new.metadata IS NOT NULL) OR ((to_jsonb(new.*) - 'metadata'::text) IS DISTINCT FROM (to_jsonb(old.*) - 'metadata'::text)))) EXECUTE FUNCTION refuse_change_of_books();
CREATE TRIGGER webhook_deliveries_count_ended AFTER UPDATE ON webhook_deliveries REFERENCING OLD TABLE AS previous NEW TABLE AS updated FOR EACH STATEMENT EXECUTE FUNCTION count_ended_deliveries();
CREATE TRIGGER webhook_deliveries_count_new AFTER INSERT ON webhook_deliveries REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_new_deliveries();
CREATE TRIGGER webhook_deliveries_erase BEFORE UPDATE ON webhook_deliveries FOR EACH ROW WHEN ((new.erase_metadata AND (new.state = ANY (ARRAY['delivered'::text, 'failed'::text])))) EXECUTE FUNCTION erase_metadata_of_delivery();
CREATE TRIGGER provider_calls_hours_deleted AFTER DELETE ON provider_calls REFERENCING OLD TABLE AS previous FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_call_hours();
CREATE TRIGGER provider_calls_hours_ended AFTER UPDATE ON provider_calls REFERENCING OLD TABLE AS previous NEW TABLE AS updated FOR EACH STATEMENT EXECUTE FUNCTION count_call_hours();
CREATE TRIGGER provider_calls_late_job AFTER UPDATE ON provider_calls FOR EACH ROW WHEN (((old.state = ANY (ARRAY['cut'::text, 'unknown'::text])) AND (new.state = 'submitted'::text))) EXECUTE FUNCTION note_late_job();
CREATE TRIGGER audit_entries_account BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION set_audit_account();
CREATE TRIGGER catalog_versions_append_only BEFORE DELETE OR UPDATE ON catalog_versions FOR EACH ROW EXECUTE FUNCTION refuse_change_of_books();
CREATE TRIGGER catalog_versions_no_truncate BEFORE TRUNCATE ON catalog_versions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_books();
CREATE TRIGGER key_spend_insert AFTER INSERT ON key_spend FOR EACH ROW WHEN ((new.total_before_micros IS NULL)) EXECUTE FUNCTION carry_key_spend();
CREATE TRIGGER key_spend_update AFTER UPDATE OF held_micros, spent_micros ON key_spend FOR EACH ROW WHEN (((NOT new.is_newest) AND ((new.held_micros + new.spent_micros) <> (old.held_micros + old.spent_micros)))) EXECUTE FUNCTION carry_key_spend();
CREATE TRIGGER endpoint_deliveries_erase BEFORE UPDATE ON endpoint_deliveries FOR EACH ROW WHEN ((new.erase_metadata AND (new.state = ANY (ARRAY['delivered'::text, 'failed'::text])))) EXECUTE FUNCTION erase_metadata_of_delivery();

-- Rows

-- The first version is the built-in document; a test holds it against the code. It was active before there were versions.
INSERT INTO catalog_versions (id, source, document, digest, origin, created_at)
VALUES (1, '', '{"default_model":"nanobanana","providers":{},"models":{"nanobanana":{"family":"nano-banana","types":["image_generate","image_edit"],"default_resolution":"1k","aspect_ratios":["16:9","9:16"],"default_aspect_ratio":"16:9","max_inputs":9,"max_outputs":4,"name":"Nano Banana","enabled":true,"price":{"1k":"0.0100","2k":"0.0100","4k":"0.0100"},"aliases":["gpt-image-1","gpt-image-1.5","gpt-image-2","dall-e-2","dall-e-3","gemini-2.5-flash-image"],"routes":[{"provider":"gemini","model":"gemini-nano-banana-2.1","cost":{"1k":"0.0336","2k":"0.0504","4k":"0.1134"},"options":{"thinkingConfig":{"thinkingLevel":"MINIMAL"}}},{"provider":"gemini","model":"gemini-3.1-flash-lite-image","cost":{"1k":"0.0336"},"resolution":"fixed"},{"provider":"gemini","model":"gemini-2.5-flash-image","cost":{"1k":"0.039"},"max_inputs":3,"resolution":"fixed"},{"provider":"fal","model":"google/nano-banana-2.1","cost":{"1k":"0.04","2k":"0.059","4k":"0.134"}},{"provider":"fal","model":"fal-ai/nano-banana","cost":{"1k":"0.039"},"resolution":"fixed"},{"provider":"replicate","model":"google/nano-banana-2.1","cost":{"1k":"0.0336","2k":"0.0504","4k":"0.1134"}},{"provider":"replicate","model":"google/nano-banana","cost":{"1k":"0.039"},"resolution":"fixed"},{"provider":"openrouter","model":"google/gemini-nano-banana-2.1","cost":{"1k":"0.0336","2k":"0.0504","4k":"0.1134"}},{"provider":"openai","model":"gpt-image-2","cost":{"1k":"0.032","2k":"0.055","4k":"0.1"},"options":{"quality":"medium","moderation":"auto"}}]},"nanobanana-pro":{"family":"nano-banana","types":["image_generate","image_edit"],"default_resolution":"1k","aspect_ratios":["16:9","9:16"],"default_aspect_ratio":"16:9","max_inputs":9,"max_outputs":4,"name":"Nano Banana Pro","enabled":false,"price":{"1k":"0.016","2k":"0.016","4k":"0.032"},"routes":[{"provider":"gemini","model":"gemini-3-pro-image","cost":{"1k":"0.134","2k":"0.134","4k":"0.24"}},{"provider":"fal","model":"fal-ai/nano-banana-pro","cost":{"1k":"0.15","2k":"0.15","4k":"0.3"}},{"provider":"replicate","model":"google/nano-banana-pro","cost":{"1k":"0.15","2k":"0.15","4k":"0.3"}},{"provider":"openrouter","model":"google/gemini-3-pro-image","cost":{"1k":"0.134","2k":"0.134","4k":"0.24"}},{"provider":"openai","model":"gpt-image-2","cost":{"1k":"0.032","2k":"0.055","4k":"0.1"},"options":{"quality":"medium","moderation":"auto"}}]}},"built_in_routes":["nanobanana","nanobanana-pro"]}'::jsonb, encode(sha256(''), 'hex'), 'built-in', '1970-01-01T00:00:00Z');

-- Two random ids hold 244 random bits, without an extension.
INSERT INTO installation (end_user_key) VALUES (gen_random_uuid()::text || gen_random_uuid()::text);
