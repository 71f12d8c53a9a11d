-- A new id of an event: more than 128 random bits.
CREATE OR REPLACE FUNCTION new_message_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT 'msg_' || string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    1 + get_byte(r.bytes, place) % 62, 1), '' ORDER BY place)
    FROM (SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) AS bytes) r, generate_series(0, 21) place
$$;

-- An amount that is not negative, as the audit log has it: $0.00, $0.0100, $12.340001.
CREATE OR REPLACE FUNCTION format_dollars(micros int8) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE micros WHEN 0 THEN '$0.00' ELSE
    '$' || micros / 1000000 || '.' || regexp_replace(lpad((micros % 1000000)::text, 6, '0'), '0{1,2}$', '') END
$$;

-- Adds an event for an endpoint that is not switched off. `EVENTS` (contract/events.ts) has the fields of its data:
-- micro-dollars as text, moments as they are. The body is written before the first attempt. At most 10,000 wait for one: the
-- oldest make room and are counted.
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

-- A balance that falls below a threshold is told once: it has to be at or above it again before it can fall again.
CREATE OR REPLACE FUNCTION notice_low_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM add_event(e.id, 'account.balance_low', jsonb_build_object('account_id', NEW.id, 'balance', NEW.balance_micros::text,
                                                                    'threshold', e.threshold_micros::text), NULL)
     FROM endpoints e
    WHERE (e.account_id = NEW.id OR e.account_id IS NULL) AND 'account.balance_low' = ANY (e.types)
      AND e.threshold_micros > NEW.balance_micros AND e.threshold_micros <= OLD.balance_micros ORDER BY e.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER "accounts_low_balance" AFTER UPDATE OF balance_micros ON "accounts"
  FOR EACH ROW WHEN (NEW.balance_micros < OLD.balance_micros) EXECUTE FUNCTION notice_low_balance();

-- Caps of which 80 and 100 percent are used are told once in their window. It runs after the counters, under the lock of the account.
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
CREATE OR REPLACE TRIGGER "tasks_notice_caps" AFTER INSERT ON "tasks" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION notice_caps();

-- Notes whether an endpoint answered. One that failed twice in a row is told to the others of its account, once a day; one whose every
-- attempt failed for three days is switched off.
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
