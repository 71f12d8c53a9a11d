-- What a key by itself holds and has spent, from one row. Only a transaction that began before midnight finds a day after its
-- own: it sums up the days.
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

-- What counts for the caps of a key: its own spending, and that of the keys which rotations replaced or put in its place.
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

-- The newest day of a key carries what the earlier days of its month, and all earlier days, hold and have cost. A submit reads one row,
-- whatever the age of the key. Earlier days change only by tasks that end after the midnight of their submit.
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
CREATE OR REPLACE TRIGGER key_spend_insert AFTER INSERT ON key_spend FOR EACH ROW
  WHEN (NEW.total_before_micros IS NULL) EXECUTE FUNCTION carry_key_spend();
CREATE OR REPLACE TRIGGER key_spend_update AFTER UPDATE OF held_micros, spent_micros ON key_spend FOR EACH ROW
  WHEN (NOT NEW.is_newest AND NEW.held_micros + NEW.spent_micros <> OLD.held_micros + OLD.spent_micros) EXECUTE FUNCTION carry_key_spend();

-- What the tasks of a value hold and have cost today.
CREATE OR REPLACE FUNCTION sum_value_spend(account text, key text, of_value bytea) RETURNS int8 LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT COALESCE(sum(s.held_micros + s.spent_micros), 0) FROM key_value_spend s
           WHERE s.account_id = account AND s.value = of_value AND s.day = (now()::timestamptz(3) AT TIME ZONE 'UTC')::date
             AND s.api_key_id IN (SELECT key UNION ALL SELECT m.id FROM api_keys k JOIN api_keys m ON m.account_id = account
               AND m.family = k.family
                                   WHERE k.id = key));
END $$;

-- Sums up all tasks again, in one pass.
CREATE OR REPLACE FUNCTION recount_key_spend() RETURNS void LANGUAGE plpgsql SET work_mem = '256MB' AS $$
BEGIN
  DELETE FROM key_spend;
  INSERT INTO key_spend (account_id, api_key_id, day, held_micros, spent_micros, is_newest, month_before_micros, total_before_micros)
  SELECT d.account_id, d.api_key_id, d.day, d.held, d.spent, lead(d.day) OVER days IS NULL,
         COALESCE(sum(d.held + d.spent) OVER (PARTITION BY d.account_id, d.api_key_id, date_trunc('month', d.day::timestamp) ORDER BY d.day
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0),
         COALESCE(sum(d.held + d.spent) OVER (days ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
    FROM (SELECT account_id, api_key_id, (created_at AT TIME ZONE 'UTC')::date AS day,
                 sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END) AS held, sum(cost_micros) AS spent
            FROM tasks WHERE api_key_id <> 'key_playground' GROUP BY 1, 2, 3) d
  WINDOW days AS (PARTITION BY d.account_id, d.api_key_id ORDER BY d.day);
  DELETE FROM key_value_spend;
  INSERT INTO key_value_spend (account_id, api_key_id, value, day, held_micros, spent_micros)
  SELECT account_id, api_key_id, cap_value, (created_at AT TIME ZONE 'UTC')::date,
         sum(CASE status WHEN 'pending' THEN hold_micros ELSE 0 END), sum(cost_micros)
    FROM tasks WHERE cap_value IS NOT NULL AND created_at >= date_trunc('day', now(), 'UTC') - interval '1 day' GROUP BY 1, 2, 3, 4;
END $$;
