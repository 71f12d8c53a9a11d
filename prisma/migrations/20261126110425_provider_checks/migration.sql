-- CreateTable
CREATE TABLE "provider_checks" (
    "id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "model" TEXT,
    "draws" BOOLEAN NOT NULL DEFAULT false,
    "slot" INTEGER NOT NULL,
    "protocol" TEXT,
    "host_port" TEXT,
    "encryption_key_id" TEXT,
    "nonce" BYTEA,
    "sealed" BYTEA,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "result" JSONB,
    "cost_micros" BIGINT,
    "created_by" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_checks_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "provider_checks_created_at_idx" ON "provider_checks"("created_at");

-- The rest is written by hand: the schema language has no words for it.

ALTER TABLE "provider_checks"
  ADD CONSTRAINT "provider_checks_state" CHECK (state IN ('pending', 'running', 'done')),
  ADD CONSTRAINT "provider_checks_slot" CHECK (slot BETWEEN 1 AND 5),
  ADD CONSTRAINT "provider_checks_lease" CHECK ((state = 'running') = (lease_until IS NOT NULL)),
  ADD CONSTRAINT "provider_checks_end" CHECK ((state = 'done') = (ended_at IS NOT NULL) AND (state = 'done') = (result IS NOT NULL)),
  -- The keys that a check tries are gone at its end.
  ADD CONSTRAINT "provider_checks_keys" CHECK (sealed IS NULL OR state <> 'done'),
  ADD CONSTRAINT "provider_checks_cost" CHECK (cost_micros IS NULL OR draws AND cost_micros >= 0);

-- At most five checks that have not ended: each holds one of five slots.
CREATE UNIQUE INDEX "provider_checks_open_slot" ON "provider_checks" (slot) WHERE state <> 'done';

-- What the calls that started today (UTC) have cost by provider; open ones and those whose outcome is unknown at list cost; trial pictures too.
CREATE OR REPLACE FUNCTION sum_costs_of_day() RETURNS TABLE (provider text, micros int8) LANGUAGE sql STABLE AS $$
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
