-- Tasks are looked up by their ids: until a grown table is analyzed, plans are those of a small one, and would read all of it.
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
CREATE OR REPLACE TRIGGER "usage_records_count" AFTER INSERT ON "usage_records" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_usage();
