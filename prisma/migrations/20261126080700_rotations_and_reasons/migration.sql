-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "suspension_reason" TEXT;

-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "family" TEXT;

-- The rest is written by hand: the schema language has no words for it.

-- What a key by itself holds and has spent, from one row. Only a transaction that began before midnight finds a day after its own: it sums up the days.
CREATE OR REPLACE FUNCTION sum_single_key_spend(account text, key text, whole boolean, OUT day_micros int8, OUT month_micros int8, OUT total_micros int8)
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

-- What counts for the caps of a key: its own spending, and that of the keys which rotations replaced or put in its place.
CREATE OR REPLACE FUNCTION sum_key_spend(account text, key text, whole boolean, OUT day_micros int8, OUT month_micros int8, OUT total_micros int8)
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

-- What the tasks of a value hold and have cost today.
CREATE OR REPLACE FUNCTION sum_value_spend(account text, key text, of_value bytea) RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT COALESCE(sum(s.held_micros + s.spent_micros), 0) FROM key_value_spend s
           WHERE s.account_id = account AND s.value = of_value AND s.day = (now()::timestamptz(3) AT TIME ZONE 'UTC')::date
             AND s.api_key_id IN (SELECT key UNION ALL SELECT m.id FROM api_keys k JOIN api_keys m ON m.account_id = account AND m.family = k.family
                                   WHERE k.id = key));
END $$;

CREATE INDEX "audit_entries_by_action" ON "audit_entries"("action", "created_at" DESC, "id" DESC);
CREATE INDEX "audit_entries_by_actor" ON "audit_entries"((detail ->> 'actor'), "created_at" DESC, "id" DESC);
