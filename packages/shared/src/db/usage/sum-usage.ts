import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { UsageRowFilter } from './usage-filter.js';

/** The usage of one model. Money in micro-dollars. */
export interface UsageSumRow {
  readonly model: string;
  readonly units: bigint;
  readonly costMicros: bigint;
  readonly requests: bigint;
}

// Whole days (UTC) come from the roll-up, the hours at both ends from the records themselves. Without a whole day between
// them the first edge reaches from `from` to `to` and the rest is empty.
const SUM_USAGE: Statement = {
  name: 'sum-usage',
  text: `
WITH span AS (
  SELECT COALESCE($4::timestamptz, '-infinity') AS "from", COALESCE($5::timestamptz, 'infinity') AS "to",
         CASE WHEN $4::timestamptz IS NULL THEN '-infinity'::timestamptz
              ELSE date_trunc('day', $4::timestamptz + interval '1 day' - interval '1 microsecond', 'UTC') END AS first_day,
         CASE WHEN $5::timestamptz IS NULL THEN 'infinity'::timestamptz
              ELSE date_trunc('day', $5::timestamptz, 'UTC') END AS last_day),
edges AS (
  SELECT "from", "to", first_day, last_day, LEAST("to", first_day) AS head_end, GREATEST(first_day, last_day) AS tail_start
    FROM span),
parts AS (
  SELECT d.model, d.units, d.cost_micros, d.requests FROM usage_daily d, edges e
   WHERE d.account_id = $1 AND e.first_day < e.last_day
     AND d.day >= (e.first_day AT TIME ZONE 'UTC')::date AND d.day < (e.last_day AT TIME ZONE 'UTC')::date
     AND ($2::text IS NULL OR d.model = $2) AND ($3::text IS NULL OR d.api_key_id = $3)
  UNION ALL
  SELECT u.model, u.units, u.cost_micros, 1 FROM usage_records u, edges e
   WHERE u.account_id = $1 AND u.created_at >= e."from" AND u.created_at < e.head_end
     AND ($2::text IS NULL OR u.model = $2) AND ($3::text IS NULL OR u.api_key_id = $3)
  UNION ALL
  SELECT u.model, u.units, u.cost_micros, 1 FROM usage_records u, edges e
   WHERE u.account_id = $1 AND u.created_at >= e.tail_start AND u.created_at < e."to"
     AND ($2::text IS NULL OR u.model = $2) AND ($3::text IS NULL OR u.api_key_id = $3))
SELECT model, sum(units)::int8 AS units, sum(cost_micros)::int8 AS "costMicros", sum(requests)::int8 AS requests
  FROM parts GROUP BY model ORDER BY model`,
};

/** Sums up the usage of an account by model; models without usage are left out. */
export async function sumUsage(
  db: Pick<Database, 'run'>,
  accountId: string,
  filter: UsageRowFilter,
): Promise<readonly UsageSumRow[]> {
  const wanted = [filter.model, filter.apiKeyId, filter.from, filter.to].map((value) => value ?? null);
  return db.run<UsageSumRow>(SUM_USAGE, [accountId, ...wanted]);
}
