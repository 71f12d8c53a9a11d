import type { Database } from '../create-database.js';
import type { UsageDaily } from '../generated/client.js';
import type { Statement } from '../statement.js';
import type { UsageRowFilter } from './usage-filter.js';

/** The usage of one model. Money in micro-dollars. */
export type UsageSumRow = Readonly<Pick<UsageDaily, 'model' | 'units' | 'costMicros' | 'requests'>>;

// Whole buckets come from their counters, the two that the times cut from the records themselves.
const SUM_USAGE: Statement = {
  name: 'sum-usage',
  text: `
WITH bounds AS (SELECT COALESCE($4::timestamptz, '-infinity') AS lo, COALESCE($5::timestamptz, 'infinity') AS hi),
buckets AS (
  SELECT c.starts_at, lead(c.starts_at, 1, 'infinity') OVER (ORDER BY c.starts_at) AS ends_at
    FROM usage_counts c WHERE c.account_id = $1 GROUP BY c.starts_at),
parts AS MATERIALIZED (
  SELECT b.starts_at, GREATEST(b.starts_at, s.lo) AS first, LEAST(b.ends_at, s.hi) AS after,
         b.starts_at >= s.lo AND b.ends_at <= s.hi AS whole
    FROM buckets b, bounds s WHERE b.ends_at > s.lo AND b.starts_at < s.hi),
used AS (
  SELECT c.model, c.units, c.cost_micros, c.records FROM usage_counts c JOIN parts p ON p.whole AND p.starts_at = c.starts_at
   WHERE c.account_id = $1 AND c.records > 0 AND ($2::text IS NULL OR c.model = $2) AND ($3::text IS NULL OR c.api_key_id = $3)
  UNION ALL
  SELECT u.model, u.units, u.cost_micros, 1 FROM parts p CROSS JOIN LATERAL (
    SELECT r.model, r.units, r.cost_micros FROM usage_records r
     WHERE r.account_id = $1 AND r.created_at >= p.first AND r.created_at < p.after
       AND ($2::text IS NULL OR r.model = $2) AND ($3::text IS NULL OR r.api_key_id = $3) OFFSET 0) u
   WHERE NOT p.whole)
SELECT model, sum(units)::int8 AS units, sum(cost_micros)::int8 AS "costMicros", sum(records)::int8 AS requests
  FROM used GROUP BY model ORDER BY model`,
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
