-- What the calls that started today (UTC) have cost by provider; open ones and those whose outcome is unknown at list cost;
-- trial pictures too.
CREATE OR REPLACE FUNCTION sum_costs_of_day() RETURNS TABLE (provider text, micros int8) LANGUAGE sql STABLE AS $$
  WITH day AS (SELECT date_trunc('day', now()::timestamptz(3), 'UTC') AS starts)
  SELECT c.provider, sum(c.micros)::int8 FROM (
    SELECT h.provider, h.cost_micros AS micros FROM provider_call_hours h, day
     WHERE h.hour >= day.starts AND h.hour < day.starts + interval '24 hours'
    UNION ALL
    SELECT e.provider, e.cost_micros FROM call_hour_entries e, day
     WHERE e.hour >= day.starts AND e.hour < day.starts + interval '24 hours'
    UNION ALL
    SELECT o.provider, COALESCE(o.cost_micros, 0) FROM provider_calls o, day
     WHERE o.state IN ('started', 'submitted') AND o.created_at >= day.starts AND o.created_at < day.starts + interval '24 hours'
    UNION ALL
    SELECT k.provider, k.cost_micros FROM provider_checks k, day
     WHERE k.cost_micros > 0 AND k.created_at >= day.starts AND k.created_at < day.starts + interval '24 hours') c
   GROUP BY c.provider
$$;

-- Names the calls that may not start: their provider is paused, or they would lift the upstream cost of the day above a
-- ceiling. `ceiling` is that of all providers. Where there is one, statements that start calls go one at a time: the lock comes
-- before the snapshot of the sums. Operators hear at 80 and 100 percent.
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
