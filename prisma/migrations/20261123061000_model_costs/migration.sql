-- One snapshot for the triggers and for the sums that they begin with: no call ends in between.
LOCK TABLE "provider_calls" IN SHARE ROW EXCLUSIVE MODE;

-- CreateTable
CREATE TABLE "model_cost_hours" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "model" TEXT NOT NULL,
    "lane" SMALLINT NOT NULL,
    "cost_micros" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "model_cost_hours_pkey" PRIMARY KEY ("hour","model","lane")
);

-- The rest is written by hand: the schema language has no words for it.

-- What the calls of each hour cost, by the model of their tasks: the hours of calls name the models of providers. Kept and read like
-- those hours, after them in every statement, and only where a call costs something.
ALTER TABLE "model_cost_hours" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

CREATE FUNCTION count_model_costs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM updated n JOIN previous o ON o.id = n.id
                  WHERE (n.state, n.cost_micros) IS DISTINCT FROM (o.state, o.cost_micros) AND (n.cost_micros <> 0 OR o.cost_micros <> 0))
  THEN RETURN NULL; END IF;
  INSERT INTO model_cost_hours AS h (hour, model, lane, cost_micros)
  SELECT date_trunc('hour', c.created_at, 'UTC'), t.model, hour_lane(), sum(c.cost)
    FROM (SELECT n.task_id, n.created_at, n.state, n.cost_micros AS cost FROM updated n
          UNION ALL
          SELECT o.task_id, o.created_at, o.state, -o.cost_micros FROM previous o) c
    JOIN tasks t ON t.id = c.task_id
   WHERE c.state NOT IN ('started', 'submitted', 'rate_limited') AND c.cost <> 0
   GROUP BY 1, 2 HAVING sum(c.cost) <> 0 ORDER BY 1, 2
  ON CONFLICT (hour, model, lane) DO UPDATE SET cost_micros = h.cost_micros + EXCLUDED.cost_micros;
  RETURN NULL;
END $$;
-- After the hours of calls by name, which are locked first.
CREATE TRIGGER "provider_calls_model_costs_ended" AFTER UPDATE ON "provider_calls" REFERENCING OLD TABLE AS previous NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION count_model_costs();

CREATE FUNCTION count_new_model_costs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO model_cost_hours AS h (hour, model, lane, cost_micros)
  SELECT date_trunc('hour', c.created_at, 'UTC'), t.model, hour_lane(), sum(c.cost_micros)
    FROM inserted c JOIN tasks t ON t.id = c.task_id
   WHERE c.state NOT IN ('started', 'submitted', 'rate_limited') AND c.cost_micros <> 0
   GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (hour, model, lane) DO UPDATE SET cost_micros = h.cost_micros + EXCLUDED.cost_micros;
  RETURN NULL;
END $$;
CREATE TRIGGER "provider_calls_model_costs_new" AFTER INSERT ON "provider_calls" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_model_costs();

-- Sums up the costs again. Hours whose calls were deleted, all or some, keep what they have.
CREATE FUNCTION recount_model_costs() RETURNS void LANGUAGE sql AS $$
  DELETE FROM model_cost_hours WHERE hour NOT IN (SELECT hour FROM provider_call_hours WHERE deleted <> 0);
  INSERT INTO model_cost_hours (hour, model, lane, cost_micros)
  SELECT date_trunc('hour', c.created_at, 'UTC'), t.model, 0, sum(c.cost_micros)
    FROM provider_calls c JOIN tasks t ON t.id = c.task_id
   WHERE c.state NOT IN ('started', 'submitted', 'rate_limited') AND c.cost_micros <> 0
     AND NOT EXISTS (SELECT 1 FROM provider_call_hours h WHERE h.hour = date_trunc('hour', c.created_at, 'UTC') AND h.deleted <> 0)
   GROUP BY 1, 2;
$$;
SELECT recount_model_costs();
