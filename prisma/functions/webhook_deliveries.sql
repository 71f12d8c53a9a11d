-- Adds to the counts of receivers and backlogs: `steps` to what waits for a receiver, `ends` to what has ended. Rows are locked
-- in one order in all processes, receivers first, so that two statements never wait for each other. A receiver that nothing waits
-- for has no row: one that is inserted (xmax = 0) is new, one that comes to zero is gone.
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
CREATE OR REPLACE TRIGGER "webhook_deliveries_count_new" AFTER INSERT ON "webhook_deliveries" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_deliveries();

-- Counts ended webhooks for their receivers and in the buckets of lists, and notes those that were given up for the hours of operators.
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
CREATE OR REPLACE TRIGGER "webhook_deliveries_count_ended" AFTER UPDATE ON "webhook_deliveries"
  REFERENCING OLD TABLE AS previous NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION count_ended_deliveries();

-- Counts all deliveries again, in one pass.
CREATE OR REPLACE FUNCTION recount_deliveries() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM delivery_counts;
  INSERT INTO delivery_counts (account_id, starts_at, deliveries, delivered, failed)
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(created_at) END, count(*),
         count(*) FILTER (WHERE state = 'delivered'), count(*) FILTER (WHERE state = 'failed')
    FROM (SELECT account_id, created_at, state,
                 (rank() OVER (PARTITION BY account_id ORDER BY created_at) - 1) / list_bucket_size() AS bucket FROM webhook_deliveries) w
   GROUP BY account_id, bucket;
END $$;

-- The body of an event without the metadata of its task, and without one value of it; all else keeps its bytes.
CREATE OR REPLACE FUNCTION without_metadata(body text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT '{' || string_agg(to_json(e.key)::text || ':' || CASE e.key WHEN 'data' THEN d.data ELSE e.value::text END, ','
    ORDER BY e.place) || '}'
    FROM json_each(body::json) WITH ORDINALITY e(key, value, place)
    LEFT JOIN LATERAL (
      SELECT '{' || string_agg(to_json(f.key)::text || ':' || f.value::text, ',' ORDER BY f.place) || '}' AS data
        FROM json_each(CASE e.key WHEN 'data' THEN e.value END) WITH ORDINALITY f(key, value, place)
          WHERE f.key NOT IN ('metadata', 'value')) d ON true
$$;

-- The event of an erased task is sent as it is while it waits, and loses the metadata when it has ended.
CREATE OR REPLACE FUNCTION erase_metadata_of_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.body := without_metadata(NEW.body);
  -- One that was never sent has no body.
  IF TG_TABLE_NAME = 'endpoint_deliveries' THEN NEW.data := NEW.data - 'value'; END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER "webhook_deliveries_erase" BEFORE UPDATE ON "webhook_deliveries"
  FOR EACH ROW WHEN (NEW.erase_metadata AND NEW.state IN ('delivered', 'failed')) EXECUTE FUNCTION erase_metadata_of_delivery();
CREATE OR REPLACE TRIGGER "endpoint_deliveries_erase" BEFORE UPDATE ON "endpoint_deliveries"
  FOR EACH ROW WHEN (NEW.erase_metadata AND NEW.state IN ('delivered', 'failed')) EXECUTE FUNCTION erase_metadata_of_delivery();

-- How many webhooks of an account have ended, to whoever holds the account's lock: a snapshot from before the lock would miss some.
CREATE OR REPLACE FUNCTION count_ended_webhooks(account text) RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN COALESCE((SELECT b.ended FROM webhook_backlogs b WHERE b.account_id = account), 0);
END $$;
