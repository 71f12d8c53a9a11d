-- The same functions in shorter lines.

CREATE OR REPLACE FUNCTION recount_lists() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
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
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(min(created_at)) OVER (PARTITION BY account_id, bucket) END,
    model, api_key_id,
         quality, count(*), sum(units), sum(cost_micros)
    FROM (SELECT r.account_id, r.created_at, r.model, r.api_key_id, COALESCE(t.quality, '') AS quality, r.units, r.cost_micros,
                 (rank() OVER (PARTITION BY r.account_id ORDER BY r.created_at) - 1) / list_bucket_size() AS bucket
            FROM usage_records r JOIN tasks t ON t.id = r.task_id) u
   GROUP BY account_id, bucket, model, api_key_id, quality;
END $$;

CREATE OR REPLACE FUNCTION recount_hours() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  WHILE add_up_hours() > 0 LOOP END LOOP;
  DELETE FROM task_hours;
  INSERT INTO task_hours (hour, model, completed, failed, images, charged_micros, waits, durations)
  SELECT date_trunc('hour', n.completed_at, 'UTC'), n.model,
         count(*) FILTER (WHERE n.status = 'completed'), count(*) FILTER (WHERE n.status = 'failed'),
         COALESCE(sum(n.stored_count) FILTER (WHERE n.status = 'completed'), 0), sum(n.cost_micros),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.started_at - n.created_at)::float8 * 1000), array_agg(1)),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.completed_at - n.created_at)::float8 * 1000) FILTER (WHERE n.status = 'completed'),
                          array_agg(1) FILTER (WHERE n.status = 'completed'))
    FROM tasks n WHERE n.status <> 'pending' GROUP BY 1, 2;
  INSERT INTO task_hours AS h (hour, model, failed_webhooks)
  SELECT date_trunc('hour', COALESCE((SELECT max(x.ended_at) FROM webhook_attempts x WHERE x.delivery_id = w.id), w.created_at),
    'UTC'), t.model, count(*)
    FROM webhook_deliveries w JOIN tasks t ON t.id = w.task_id WHERE w.state = 'failed' GROUP BY 1, 2
  ON CONFLICT (hour, model) DO UPDATE SET failed_webhooks = h.failed_webhooks + EXCLUDED.failed_webhooks;
  DELETE FROM provider_call_hours WHERE hour NOT IN (SELECT hour FROM provider_call_hours WHERE deleted <> 0);
  INSERT INTO provider_call_hours
         (hour, provider, model, public_model, quality, state, detail, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, t.model, COALESCE(t.quality, ''), c.state, COALESCE(c.detail, ''),
         count(*), sum(c.images_asked), sum(COALESCE(c.cost_micros, 0)),
         COALESCE(sum(EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                          array_agg(1) FILTER (WHERE c.state = 'succeeded'))
    FROM provider_calls c JOIN tasks t ON t.id = c.task_id
   WHERE c.state NOT IN ('started', 'submitted')
     AND NOT EXISTS (SELECT 1 FROM provider_call_hours h WHERE h.hour = date_trunc('hour', c.created_at, 'UTC') AND h.deleted <> 0)
   GROUP BY 1, 2, 3, 4, 5, 6, 7;
END $$;

CREATE OR REPLACE FUNCTION recount_accounts() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  UPDATE accounts a SET task_count = c.tasks, open_count = c.open, erased_count = c.deleted, usage_count = c.records
    FROM (SELECT i.id, COALESCE(t.tasks, 0) AS tasks, COALESCE(t.open, 0) AS open, COALESCE(t.deleted, 0) AS deleted,
      COALESCE(u.records, 0) AS records
            FROM accounts i
            LEFT JOIN (SELECT account_id, count(*) AS tasks, count(*) FILTER (WHERE status = 'pending') AS open,
                              count(*) FILTER (WHERE deleted_at IS NOT NULL) AS deleted FROM tasks GROUP BY 1) t ON t.account_id = i.id
            LEFT JOIN (SELECT account_id, count(*) AS records FROM usage_records GROUP BY 1) u ON u.account_id = i.id) c
   WHERE a.id = c.id AND (a.task_count, a.open_count, a.erased_count, a.usage_count) IS DISTINCT
     FROM (c.tasks, c.open, c.deleted, c.records);
  DELETE FROM usage_daily;
  INSERT INTO usage_daily (account_id, api_key_id, model, day, units, cost_micros, requests)
  SELECT account_id, api_key_id, model, (created_at AT TIME ZONE 'UTC')::date, sum(units), sum(cost_micros), count(*)
    FROM usage_records GROUP BY 1, 2, 3, 4;
END $$;

CREATE OR REPLACE FUNCTION new_message_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT 'msg_' || string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    1 + get_byte(r.bytes, place) % 62, 1), '' ORDER BY place)
    FROM (SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) AS bytes) r, generate_series(0, 21) place
$$;

CREATE OR REPLACE FUNCTION add_event(to_endpoint text, of_type text, data jsonb, of_task text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO endpoint_deliveries (id, endpoint_id, account_id, host_port, type, task_id, data, next_attempt_at)
  SELECT new_message_id(), e.id, e.account_id, e.host_port, of_type, of_task, data, now()
    FROM endpoints e WHERE e.id = to_endpoint AND e.disabled_at IS NULL;
  WITH surplus AS (
    DELETE FROM endpoint_deliveries d WHERE d.id IN (
      SELECT w.id FROM endpoint_deliveries w WHERE w.endpoint_id = to_endpoint AND w.state = 'pending'
       ORDER BY w.created_at DESC, w.id DESC OFFSET 10000 LIMIT 100) RETURNING d.id)
  UPDATE endpoints e SET dropped = e.dropped + s.events FROM (SELECT count(*) AS events FROM surplus) s WHERE e.id = to_endpoint
    AND s.events > 0;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION notice_caps() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  today date := (now()::timestamptz(3) AT TIME ZONE 'UTC')::date;
  told int8;
BEGIN
  IF NOT EXISTS (SELECT FROM endpoints e WHERE e.account_id = ANY (ARRAY(SELECT DISTINCT account_id FROM inserted))
    AND 'key.cap_reached' = ANY (e.types))
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
  SELECT count(add_event(e.id, 'key.cap_reached', jsonb_build_object('key_id', u.key, 'cap', u.cap, 'value', u.words, 'percent', r.percent,
                                                                   'limit', u.micros::text, 'used', u.used::text), u.task))
    FROM reached r JOIN used u ON u.key = r.api_key_id AND u.cap = r.cap AND u.value = r.value
    JOIN endpoints e ON e.account_id = u.account_id AND 'key.cap_reached' = ANY (e.types) INTO told;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION note_attempt(of_endpoint text, is_good boolean, status int) RETURNS void LANGUAGE plpgsql AS $$
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
    PERFORM add_event(o.id, 'webhook.failing',
                      jsonb_build_object('endpoint_id', e.id, 'url', e.url, 'since', e.failing_since, 'last_status', status), NULL)
       FROM endpoints o WHERE o.account_id IS NOT DISTINCT FROM e.account_id AND o.id <> e.id AND 'webhook.failing' = ANY (o.types)
         ORDER BY o.id;
  END IF;
  IF e.failing_since <= now() - interval '3 days' THEN
    e.disabled_at := COALESCE(e.disabled_at, now());
    UPDATE endpoint_deliveries SET state = 'failed', next_attempt_at = NULL WHERE endpoint_id = e.id AND state = 'pending';
  END IF;
  UPDATE endpoints SET failures = e.failures, failing_since = e.failing_since, failing_told_on = e.failing_told_on,
    disabled_at = e.disabled_at
   WHERE id = of_endpoint;
END $$;

CREATE OR REPLACE FUNCTION sum_single_key_spend(
  account text, key text, whole boolean, OUT day_micros int8, OUT month_micros int8, OUT total_micros int8
)
LANGUAGE plpgsql VOLATILE AS $$
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

CREATE OR REPLACE FUNCTION sum_key_spend(
  account text, key text, whole boolean, OUT day_micros int8, OUT month_micros int8, OUT total_micros int8
)
LANGUAGE plpgsql VOLATILE AS $$
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

CREATE OR REPLACE FUNCTION carry_key_spend() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE key_spend s SET month_before_micros = c.month_before, total_before_micros = c.total_before, is_newest = c.is_newest
    FROM (SELECT d.day, lead(d.day) OVER days IS NULL AS is_newest,
                 COALESCE(sum(d.held_micros + d.spent_micros) OVER (days ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                   0)::int8 AS total_before,
                 COALESCE(sum(d.held_micros + d.spent_micros) OVER (PARTITION BY date_trunc('month', d.day::timestamp) ORDER BY d.day
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::int8 AS month_before
            FROM key_spend d WHERE d.account_id = NEW.account_id AND d.api_key_id = NEW.api_key_id WINDOW days AS (ORDER BY d.day)) c
   WHERE s.account_id = NEW.account_id AND s.api_key_id = NEW.api_key_id AND s.day = c.day
     AND (s.month_before_micros, s.total_before_micros, s.is_newest) IS DISTINCT FROM (c.month_before, c.total_before, c.is_newest);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION sum_value_spend(account text, key text, of_value bytea) RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT COALESCE(sum(s.held_micros + s.spent_micros), 0) FROM key_value_spend s
           WHERE s.account_id = account AND s.value = of_value AND s.day = (now()::timestamptz(3) AT TIME ZONE 'UTC')::date
             AND s.api_key_id IN (SELECT key UNION ALL SELECT m.id FROM api_keys k JOIN api_keys m ON m.account_id = account
               AND m.family = k.family
                                   WHERE k.id = key));
END $$;

CREATE OR REPLACE FUNCTION judge_calls(calls text[], providers text[], costs int8[], ceiling int8) RETURNS TABLE (call text, refusal text)
LANGUAGE plpgsql VOLATILE AS $$
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
  has_ceiling := ceiling IS NOT NULL OR EXISTS (SELECT FROM provider_limits p WHERE p.name = ANY (providers)
    AND p.cost_day_micros IS NOT NULL);
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
  SELECT count(add_event(e.id, 'provider.needs_operator', jsonb_build_object('provider', f.provider, 'reason',
           jsonb_build_object('percent', f.percent, 'used', c.spent::text, 'limit', c.micros::text), 'since', now()), NULL))
    FROM fresh f JOIN ceilings c ON c.name = f.provider
    JOIN endpoints e ON e.account_id IS NULL AND 'provider.needs_operator' = ANY (e.types) INTO told;
END $$;

CREATE OR REPLACE FUNCTION take_signup_credit(
  account text, mail_address text, client_network text, amount int8, day_limit int8, network_limit int
)
RETURNS text LANGUAGE plpgsql VOLATILE AS $$
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

CREATE OR REPLACE FUNCTION judge_unpaid_uploads(account text, more int8, own_limit int8, all_limit int8, OUT refused text, OUT used int8)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  own int8;
BEGIN
  IF is_paid(account) THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('unpaid_uploads'));
  SELECT COALESCE(sum(u.bytes) FILTER (WHERE u.account_id = account), 0), COALESCE(sum(u.bytes), 0) INTO own, used
    FROM sum_unpaid_uploads() u;
  refused := CASE WHEN own + more > own_limit THEN 'own' WHEN used + more > all_limit THEN 'all' END;
  IF refused IS NULL THEN used := used + more; END IF;
END $$;

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

CREATE OR REPLACE FUNCTION recount_failed_tasks() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM failed_task_counts;
  INSERT INTO failed_task_counts (account_id, starts_at, total)
  SELECT account_id, starts_at, sum(tasks) OVER (PARTITION BY account_id ORDER BY starts_at)
    FROM (SELECT account_id, GREATEST(date_trunc('second', completed_at), now() - interval '1000000 seconds') AS starts_at,
      count(*) AS tasks
            FROM tasks WHERE status = 'failed' AND is_caller_failure(failure) GROUP BY 1, 2) t;
END $$;

CREATE OR REPLACE FUNCTION count_new_usage() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  is_full boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM inserted) THEN RETURN NULL; END IF;
  WITH counted AS (
    INSERT INTO usage_counts AS c (account_id, starts_at, model, api_key_id, quality, records, units, cost_micros)
    SELECT n.account_id, COALESCE(b.starts_at, '-infinity'), n.model, n.api_key_id, COALESCE(t.quality, ''), count(*), sum(n.units),
      sum(n.cost_micros)
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
    SELECT n.account_id, (SELECT max(u.created_at) + interval '1 millisecond' FROM usage_records u
      WHERE u.account_id = n.account_id), n.model, n.api_key_id
      FROM (SELECT DISTINCT ON (account_id) account_id, model, api_key_id FROM inserted ORDER BY account_id) n
     WHERE EXISTS (SELECT FROM usage_counts c
                    WHERE c.account_id = n.account_id AND c.records >= list_bucket_size()
                      AND NOT EXISTS (SELECT FROM usage_counts k WHERE k.account_id = c.account_id AND k.starts_at > c.starts_at))
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION add_to_webhook_counts(of_accounts text[], of_hosts text[], steps int[],
  ends int[]) RETURNS void LANGUAGE plpgsql AS $$
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
       SET deliveries = c.deliveries + EXCLUDED.deliveries, delivered = c.delivered + EXCLUDED.delivered,
           failed = c.failed + EXCLUDED.failed
    RETURNING c.deliveries)
  SELECT max(deliveries) >= list_bucket_size() INTO is_full FROM counted;
  IF is_full THEN
    INSERT INTO delivery_counts (account_id, starts_at)
    SELECT n.account_id, (SELECT max(w.created_at) + interval '1 millisecond' FROM webhook_deliveries w WHERE w.account_id = n.account_id)
      FROM (SELECT DISTINCT account_id FROM inserted) n
     WHERE (SELECT c.deliveries FROM delivery_counts c WHERE c.account_id = n.account_id
       ORDER BY c.starts_at DESC LIMIT 1) >= list_bucket_size()
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION count_ended_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM updated WHERE state IN ('delivered', 'failed'))
    AND NOT EXISTS (SELECT FROM previous WHERE state IN ('delivered', 'failed'))
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
  INSERT INTO hour_journal (webhooks)
  SELECT jsonb_agg(jsonb_build_object('task', n.task_id, 'ended', now()))
    FROM updated n
    JOIN previous o ON o.id = n.id
   WHERE n.state = 'failed' AND o.state <> 'failed'
  HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION without_metadata(body text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT '{' || string_agg(to_json(e.key)::text || ':' || CASE e.key WHEN 'data' THEN d.data ELSE e.value::text END, ','
    ORDER BY e.place) || '}'
    FROM json_each(body::json) WITH ORDINALITY e(key, value, place)
    LEFT JOIN LATERAL (
      SELECT '{' || string_agg(to_json(f.key)::text || ':' || f.value::text, ',' ORDER BY f.place) || '}' AS data
        FROM json_each(CASE e.key WHEN 'data' THEN e.value END) WITH ORDINALITY f(key, value, place)
          WHERE f.key NOT IN ('metadata', 'value')) d ON true
$$;
