-- CreateTable
CREATE TABLE "delivery_counts" (
    "account_id" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "deliveries" BIGINT NOT NULL DEFAULT 0,
    "delivered" BIGINT NOT NULL DEFAULT 0,
    "failed" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "delivery_counts_pkey" PRIMARY KEY ("account_id","starts_at")
);

-- The rest is written by hand: the schema language has no words for it.

-- Webhook deliveries in buckets of time, as in task_counts. Deliveries end without a lock of the account, so that the
-- counters are the last rows that a statement locks, in one order in all processes.
ALTER TABLE "delivery_counts" SET (fillfactor = 70);

CREATE FUNCTION count_new_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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
    RETURNING c.account_id, c.starts_at, c.deliveries)
  INSERT INTO delivery_counts (account_id, starts_at)
  SELECT n.account_id, (SELECT max(w.created_at) + interval '1 millisecond' FROM webhook_deliveries w WHERE w.account_id = n.account_id)
    FROM counted n
   WHERE n.deliveries >= list_bucket_size()
     AND NOT EXISTS (SELECT 1 FROM delivery_counts k WHERE k.account_id = n.account_id AND k.starts_at > n.starts_at)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER "webhook_deliveries_count_new" AFTER INSERT ON "webhook_deliveries" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_deliveries();

CREATE FUNCTION count_ended_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO delivery_counts AS c (account_id, starts_at, delivered, failed)
  SELECT n.account_id, b.starts_at, sum((n.state = 'delivered')::int - (o.state = 'delivered')::int),
         sum((n.state = 'failed')::int - (o.state = 'failed')::int)
    FROM updated n JOIN previous o ON o.id = n.id CROSS JOIN LATERAL (
      SELECT k.starts_at FROM delivery_counts k WHERE k.account_id = n.account_id AND k.starts_at <= n.created_at
       ORDER BY k.starts_at DESC LIMIT 1) b
   WHERE n.state <> o.state AND (n.state IN ('delivered', 'failed') OR o.state IN ('delivered', 'failed'))
   GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, starts_at) DO UPDATE SET delivered = c.delivered + EXCLUDED.delivered, failed = c.failed + EXCLUDED.failed;
  RETURN NULL;
END $$;
CREATE TRIGGER "webhook_deliveries_count_ended" AFTER UPDATE ON "webhook_deliveries" REFERENCING OLD TABLE AS previous NEW TABLE AS updated
  FOR EACH STATEMENT EXECUTE FUNCTION count_ended_deliveries();

CREATE FUNCTION count_removed_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO delivery_counts AS c (account_id, starts_at, deliveries, delivered, failed)
  SELECT o.account_id, b.starts_at, -count(*), -count(*) FILTER (WHERE o.state = 'delivered'), -count(*) FILTER (WHERE o.state = 'failed')
    FROM removed o CROSS JOIN LATERAL (
      SELECT k.starts_at FROM delivery_counts k WHERE k.account_id = o.account_id AND k.starts_at <= o.created_at
       ORDER BY k.starts_at DESC LIMIT 1) b
   GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (account_id, starts_at) DO UPDATE
     SET deliveries = c.deliveries + EXCLUDED.deliveries, delivered = c.delivered + EXCLUDED.delivered, failed = c.failed + EXCLUDED.failed;
  RETURN NULL;
END $$;
CREATE TRIGGER "webhook_deliveries_count_removed" AFTER DELETE ON "webhook_deliveries" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION count_removed_deliveries();

-- Counts all deliveries again, in one pass.
CREATE FUNCTION recount_deliveries() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM delivery_counts;
  INSERT INTO delivery_counts (account_id, starts_at, deliveries, delivered, failed)
  SELECT account_id, CASE bucket WHEN 0 THEN '-infinity' ELSE min(created_at) END, count(*),
         count(*) FILTER (WHERE state = 'delivered'), count(*) FILTER (WHERE state = 'failed')
    FROM (SELECT account_id, created_at, state,
                 (rank() OVER (PARTITION BY account_id ORDER BY created_at) - 1) / list_bucket_size() AS bucket FROM webhook_deliveries) w
   GROUP BY account_id, bucket;
END $$;
SELECT recount_deliveries();
