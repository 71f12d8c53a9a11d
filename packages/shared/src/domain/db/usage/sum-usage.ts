import type { UsageGroup } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import type { UsageDaily } from '../generated/client.js';
import type { Statement } from '../statement.js';
import { toTimestamp } from '../to-timestamp.js';
import type { UsageRowFilter } from './usage-filter.js';

/** The usage of one group, null where it is not grouped by a field. Money in micro-dollars. */
export interface UsageSumRow extends Readonly<Pick<UsageDaily, 'units' | 'costMicros' | 'requests'>> {
  readonly hour: Date | null;
  readonly day: Date | null;
  readonly apiKeyId: string | null;
  readonly model: string | null;
  /** Null for usage at plain prices too. */
  readonly quality: string | null;
}

/** Usage to sum up. */
export interface UsageSumInput extends UsageRowFilter {
  readonly groups: readonly UsageGroup[];
  /** Subtracts refunds at their own times. */
  readonly includeRefunds: boolean;
}

/** Maximum of groups of one sum. */
export const MAX_USAGE_GROUPS = 10_000;

const DAY_MS = 86_400_000;

const WANTED = (row: string): string =>
  `($2::text IS NULL OR ${row}.model = $2) AND ($3::text IS NULL OR ${row}.api_key_id = $3)`;

/** Quality of a record's task, where it is asked for. */
const QUALITY = (row: string): string =>
  `CASE WHEN $11::boolean THEN (SELECT q.quality FROM tasks q WHERE q.id = ${row}.task_id) END`;

/** Builds a sum over `used`, which has `at`, `api_key_id`, `model`, `quality`, `units`, `cost_micros` and `requests`. */
const buildSum = (name: string, used: string): Statement => ({
  name,
  narrowBy: 'from and to',
  text: `
WITH bounds AS (SELECT $4::timestamptz AS lo, $5::timestamptz AS hi),
${used}
  UNION ALL
  SELECT l.created_at, u.api_key_id, u.model, ${QUALITY('u')}, 0, -l.amount_micros, 0
    FROM bounds s, ledger_transfers l JOIN usage_records u ON u.task_id = l.task_id
   WHERE $10::boolean AND l.account_id = $1 AND l.kind = 'refund' AND l.created_at >= s.lo AND l.created_at < s.hi AND ${WANTED('u')})
SELECT CASE WHEN $6::boolean THEN date_trunc('hour', at, 'UTC') END AS hour,
       CASE WHEN $7::boolean THEN date_trunc('day', at, 'UTC') END AS day,
       CASE WHEN $8::boolean THEN api_key_id END AS "apiKeyId", CASE WHEN $9::boolean THEN model END AS model,
       CASE WHEN $11::boolean THEN NULLIF(quality, '') END AS quality,
       sum(units)::int8 AS units, sum(cost_micros)::int8 AS "costMicros", sum(requests)::int8 AS requests
  FROM used GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5 LIMIT ${MAX_USAGE_GROUPS + 1}`,
});

// Buckets between the times come from their counters, what lies before and behind them from the records themselves.
const SUM_USAGE = buildSum(
  'sum-usage',
  `
whole AS MATERIALIZED (
  SELECT s.lo, s.hi,
         COALESCE((SELECT min(c.starts_at) FROM usage_counts c WHERE c.account_id = $1 AND c.starts_at >= s.lo), 'infinity') AS first,
         CASE s.hi WHEN 'infinity' THEN s.hi
                   ELSE (SELECT max(c.starts_at) FROM usage_counts c WHERE c.account_id = $1 AND c.starts_at <= s.hi) END AS after
    FROM bounds s),
parts AS (
  SELECT p.first, p.after FROM whole w CROSS JOIN LATERAL (
    VALUES (w.lo, LEAST(w.first, w.hi)), (GREATEST(w.after, LEAST(w.first, w.hi)), w.hi)) p(first, after)),
used (at, api_key_id, model, quality, units, cost_micros, requests) AS (
  SELECT NULL::timestamptz, c.api_key_id, c.model, c.quality, c.units, c.cost_micros, c.records
    FROM whole w JOIN usage_counts c ON c.starts_at >= w.first AND c.starts_at < w.after
   WHERE c.account_id = $1 AND c.records > 0 AND ${WANTED('c')}
  UNION ALL
  SELECT NULL, u.api_key_id, u.model, u.quality, u.units, u.cost_micros, 1 FROM parts p CROSS JOIN LATERAL (
    SELECT r.api_key_id, r.model, ${QUALITY('r')} AS quality, r.units, r.cost_micros FROM usage_records r
     WHERE r.account_id = $1 AND r.created_at >= p.first AND r.created_at < p.after AND ${WANTED('r')} OFFSET 0) u`,
);

// Whole days come from the roll-up, which has no qualities; the days that the times cut, all hours and qualities from the records themselves.
const SUM_USAGE_BY_TIME = buildSum(
  'sum-usage-by-time',
  `
parts AS MATERIALIZED (SELECT * FROM unnest($14::timestamptz[], $15::timestamptz[]) AS p(first, after)),
used (at, api_key_id, model, quality, units, cost_micros, requests) AS (
  SELECT d.day::timestamp AT TIME ZONE 'UTC', d.api_key_id, d.model, NULL, d.units, d.cost_micros, d.requests
    FROM usage_daily d
   WHERE d.account_id = $1 AND d.day >= $12::date AND d.day < $13::date AND ${WANTED('d')}
  UNION ALL
  SELECT u.created_at, u.api_key_id, u.model, u.quality, u.units, u.cost_micros, 1 FROM parts p CROSS JOIN LATERAL (
    SELECT r.created_at, r.api_key_id, r.model, ${QUALITY('r')} AS quality, r.units, r.cost_micros FROM usage_records r
     WHERE r.account_id = $1 AND r.created_at >= p.first AND r.created_at < p.after AND ${WANTED('r')} OFFSET 0) u`,
);

/**
 * Sums up the usage of an account by groups; groups without usage are left out. Returns one group more than
 * `MAX_USAGE_GROUPS` when there are too many.
 */
export async function sumUsage(
  db: Pick<Database, 'run'>,
  accountId: string,
  { groups, includeRefunds, ...filter }: UsageSumInput,
): Promise<readonly UsageSumRow[]> {
  const { model: onlyModel = null, apiKeyId = null, from, to } = filter;
  const wanted = [onlyModel, apiKeyId, toTimestamp(from, '-infinity'), toTimestamp(to, 'infinity')];
  const [hour, day, key, model, quality] = (['hour', 'day', 'key', 'model', 'quality'] as const).map((name) =>
    groups.includes(name),
  );
  const values = [accountId, ...wanted, hour, day, key, model, includeRefunds, quality];
  if (!hour && !day) {
    return db.run<UsageSumRow>(SUM_USAGE, values);
  }
  const { days, edges } = hour || quality ? { days: EMPTY, edges: [filter] } : splitByDays(filter);
  return db.run<UsageSumRow>(SUM_USAGE_BY_TIME, [
    ...values,
    toTimestamp(days.from, '-infinity'),
    toTimestamp(days.to, 'infinity'),
    edges.map(({ from }) => toTimestamp(from, '-infinity')),
    edges.map(({ to }) => toTimestamp(to, 'infinity')),
  ]);
}

interface Span {
  readonly from?: Date;
  readonly to?: Date;
}

const EMPTY: Span = { from: new Date(0), to: new Date(0) };

/** Divides a span into its whole UTC days and the parts of days at its ends. */
function splitByDays({ from, to }: Span): { readonly days: Span; readonly edges: readonly Span[] } {
  const first = from && new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const last = to && new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS);
  const edges: Span[] = [];
  if (from && first && first > from) {
    edges.push({ from, to: to && to < first ? to : first });
  }
  if (to && last && last < to && (!first || last >= first)) {
    edges.push({ from: last, to });
  }
  return { days: { ...(first && { from: first }), ...(last && { to: last }) }, edges };
}
