-- One snapshot for the triggers and for the sums that they begin with: no task and no call ends in between.
LOCK TABLE "accounts", "tasks", "provider_calls" IN SHARE ROW EXCLUSIVE MODE;

-- CreateTable
CREATE TABLE "task_hours" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "model" TEXT NOT NULL,
    "lane" SMALLINT NOT NULL,
    "completed" BIGINT NOT NULL DEFAULT 0,
    "failed" BIGINT NOT NULL DEFAULT 0,
    "images" BIGINT NOT NULL DEFAULT 0,
    "charged_micros" BIGINT NOT NULL DEFAULT 0,
    "waits" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "durations" INTEGER[] DEFAULT ARRAY[]::INTEGER[],

    CONSTRAINT "task_hours_pkey" PRIMARY KEY ("hour","model","lane")
);

-- CreateTable
CREATE TABLE "provider_call_hours" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "lane" SMALLINT NOT NULL,
    "calls" BIGINT NOT NULL DEFAULT 0,
    "images" BIGINT NOT NULL DEFAULT 0,
    "cost_micros" BIGINT NOT NULL DEFAULT 0,
    "total_ms" BIGINT NOT NULL DEFAULT 0,
    "last_call_at" TIMESTAMPTZ(3),
    "durations" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "deleted" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "provider_call_hours_pkey" PRIMARY KEY ("hour","provider","model","state","detail","lane")
);

-- The rest is written by hand: the schema language has no words for it.

-- What tasks and calls came to in each hour (UTC), for the pages of operators: a task counts in the hour of its end, a call in the
-- hour of its start, once it has an outcome. Triggers keep it, in the statements that end tasks and calls. All accounts share these
-- rows, so a statement writes the rows of one of four lanes, chosen by its connection, as the last rows that it locks. Only sums over
-- the lanes mean something: one lane may subtract what another one added.
ALTER TABLE "task_hours" ALTER COLUMN "waits" SET NOT NULL, ALTER COLUMN "durations" SET NOT NULL;
ALTER TABLE "provider_call_hours" ALTER COLUMN "durations" SET NOT NULL;
ALTER TABLE "task_hours" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
ALTER TABLE "provider_call_hours" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
-- Refunds of a span of time, over all accounts.
CREATE INDEX "ledger_transfers_refunds_at" ON "ledger_transfers" (created_at) WHERE kind = 'refund';

-- Upper bounds of the buckets that durations are counted in, in milliseconds: each is a quarter wider than the one before.
CREATE FUNCTION hour_bounds() RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg((50 * 1.25 ^ n)::float8 ORDER BY n) FROM generate_series(0, 43) n
$$;

-- Numbers of durations by bucket, each counted `times`; empty without durations.
CREATE FUNCTION count_in_buckets(ms float8[], times int[]) RETURNS int[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN ms IS NULL THEN '{}' ELSE (
    SELECT array_agg(COALESCE(c.n, 0)::int ORDER BY b)
      FROM generate_series(0, cardinality(hour_bounds())) b
      LEFT JOIN (SELECT width_bucket(u.ms, hour_bounds()) AS b, sum(u.times) AS n FROM unnest(ms, times) u(ms, times) GROUP BY 1) c USING (b)) END
$$;

CREATE FUNCTION add_counts(a int[], b int[]) RETURNS int[] LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(array_agg(COALESCE(x, 0) + COALESCE(y, 0) ORDER BY place), '{}') FROM unnest(a, b) WITH ORDINALITY u(x, y, place)
$$;

CREATE FUNCTION hour_lane() RETURNS smallint LANGUAGE sql AS $$ SELECT (pg_backend_pid() % 4)::smallint $$;

CREATE FUNCTION count_task_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM updated n WHERE n.status <> 'pending') THEN RETURN NULL; END IF;
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
-- After the counters of an account by name, which are locked first.
CREATE TRIGGER "tasks_hours_ended" AFTER UPDATE ON "tasks" REFERENCING OLD TABLE AS previous NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION count_task_hours();

CREATE FUNCTION count_new_task_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM inserted n WHERE n.status <> 'pending') THEN RETURN NULL; END IF;
  INSERT INTO task_hours AS h (hour, model, lane, completed, failed, images, charged_micros, waits, durations)
  SELECT date_trunc('hour', n.completed_at, 'UTC'), n.model, hour_lane(),
         count(*) FILTER (WHERE n.status = 'completed'), count(*) FILTER (WHERE n.status = 'failed'),
         COALESCE(sum(n.stored_count) FILTER (WHERE n.status = 'completed'), 0), sum(n.cost_micros),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.started_at - n.created_at)::float8 * 1000), array_agg(1)),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM n.completed_at - n.created_at)::float8 * 1000) FILTER (WHERE n.status = 'completed'),
                          array_agg(1) FILTER (WHERE n.status = 'completed'))
    FROM inserted n WHERE n.status <> 'pending'
   GROUP BY 1, 2, 3 ORDER BY 1, 2
  ON CONFLICT (hour, model, lane) DO UPDATE
     SET completed = h.completed + EXCLUDED.completed, failed = h.failed + EXCLUDED.failed, images = h.images + EXCLUDED.images,
         charged_micros = h.charged_micros + EXCLUDED.charged_micros, waits = add_counts(h.waits, EXCLUDED.waits),
         durations = add_counts(h.durations, EXCLUDED.durations);
  RETURN NULL;
END $$;
CREATE TRIGGER "tasks_hours_new" AFTER INSERT ON "tasks" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_task_hours();

-- An outcome that replaces another one, as a definite one replaces a guess, takes its place here too.
CREATE FUNCTION count_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM updated n WHERE n.state NOT IN ('started', 'submitted'))
     AND NOT EXISTS (SELECT 1 FROM previous o WHERE o.state NOT IN ('started', 'submitted')) THEN RETURN NULL; END IF;
  INSERT INTO provider_call_hours AS h
         (hour, provider, model, state, detail, lane, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, c.state, COALESCE(c.detail, ''), hour_lane(),
         sum(c.times), sum(c.times * c.images_asked), sum(c.times * COALESCE(c.cost_micros, 0)),
         COALESCE(sum(c.times * EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                          array_agg(c.times) FILTER (WHERE c.state = 'succeeded'))
    FROM (SELECT n.provider, n.model, n.state, n.detail, n.images_asked, n.cost_micros, n.created_at, n.finished_at, 1 AS times FROM updated n
          UNION ALL
          SELECT o.provider, o.model, o.state, o.detail, o.images_asked, o.cost_micros, o.created_at, o.finished_at, -1 FROM previous o) c
   WHERE c.state NOT IN ('started', 'submitted')
   GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(c.times) <> 0 OR count(*) > 1 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (hour, provider, model, state, detail, lane) DO UPDATE
     SET calls = h.calls + EXCLUDED.calls, images = h.images + EXCLUDED.images, cost_micros = h.cost_micros + EXCLUDED.cost_micros,
         total_ms = h.total_ms + EXCLUDED.total_ms, last_call_at = GREATEST(h.last_call_at, EXCLUDED.last_call_at),
         durations = add_counts(h.durations, EXCLUDED.durations);
  RETURN NULL;
END $$;
CREATE TRIGGER "provider_calls_hours_ended" AFTER UPDATE ON "provider_calls" REFERENCING OLD TABLE AS previous NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION count_call_hours();

CREATE FUNCTION count_new_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM inserted n WHERE n.state NOT IN ('started', 'submitted')) THEN RETURN NULL; END IF;
  INSERT INTO provider_call_hours AS h
         (hour, provider, model, state, detail, lane, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, c.state, COALESCE(c.detail, ''), hour_lane(),
         count(*), sum(c.images_asked), sum(COALESCE(c.cost_micros, 0)),
         COALESCE(sum(EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                          array_agg(1) FILTER (WHERE c.state = 'succeeded'))
    FROM inserted c WHERE c.state NOT IN ('started', 'submitted')
   GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (hour, provider, model, state, detail, lane) DO UPDATE
     SET calls = h.calls + EXCLUDED.calls, images = h.images + EXCLUDED.images, cost_micros = h.cost_micros + EXCLUDED.cost_micros,
         total_ms = h.total_ms + EXCLUDED.total_ms, last_call_at = GREATEST(h.last_call_at, EXCLUDED.last_call_at),
         durations = add_counts(h.durations, EXCLUDED.durations);
  RETURN NULL;
END $$;
CREATE TRIGGER "provider_calls_hours_new" AFTER INSERT ON "provider_calls" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_call_hours();

-- Sums outlive the calls. How many of an hour were deleted is kept, so that sums and calls can be compared.
CREATE FUNCTION count_deleted_call_hours() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO provider_call_hours AS h (hour, provider, model, state, detail, lane, deleted)
  SELECT date_trunc('hour', o.created_at, 'UTC'), o.provider, o.model, o.state, COALESCE(o.detail, ''), hour_lane(), count(*)
    FROM previous o WHERE o.state NOT IN ('started', 'submitted') GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (hour, provider, model, state, detail, lane) DO UPDATE SET deleted = h.deleted + EXCLUDED.deleted;
  RETURN NULL;
END $$;
CREATE TRIGGER "provider_calls_hours_deleted" AFTER DELETE ON "provider_calls" REFERENCING OLD TABLE AS previous
  FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_call_hours();

-- Sums up tasks and calls again, in one pass over each. Hours whose calls were deleted, all or some, keep what they have.
CREATE FUNCTION recount_hours() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
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
  DELETE FROM provider_call_hours WHERE hour NOT IN (SELECT hour FROM provider_call_hours WHERE deleted <> 0);
  INSERT INTO provider_call_hours
         (hour, provider, model, state, detail, lane, calls, images, cost_micros, total_ms, last_call_at, durations)
  SELECT date_trunc('hour', c.created_at, 'UTC'), c.provider, c.model, c.state, COALESCE(c.detail, ''), 0,
         count(*), sum(c.images_asked), sum(COALESCE(c.cost_micros, 0)),
         COALESCE(sum(EXTRACT(EPOCH FROM c.finished_at - c.created_at) * 1000), 0), max(c.created_at),
         count_in_buckets(array_agg(EXTRACT(EPOCH FROM c.finished_at - c.created_at)::float8 * 1000) FILTER (WHERE c.state = 'succeeded'),
                          array_agg(1) FILTER (WHERE c.state = 'succeeded'))
    FROM provider_calls c
   WHERE c.state NOT IN ('started', 'submitted')
     AND NOT EXISTS (SELECT 1 FROM provider_call_hours h WHERE h.hour = date_trunc('hour', c.created_at, 'UTC') AND h.deleted <> 0)
   GROUP BY 1, 2, 3, 4, 5;
END $$;
SELECT recount_hours();
