import { type Metadata, OTHER_VALUES, type UsageGroup } from '../../contract/index.js';
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
  /** The entry by which it is grouped; null for usage without it. */
  readonly metadata: Metadata | null;
}

/** Usage to sum up. */
export interface UsageSumInput extends UsageRowFilter {
  readonly groups: readonly UsageGroup[];
  /** Groups by the values of this key of metadata too. */
  readonly metadataKey?: string;
  /** Subtracts refunds at their own times. */
  readonly includeRefunds: boolean;
}

/** Maximum of groups of one sum. */
export const MAX_USAGE_GROUPS = 10_000;

/** Values of a key of metadata that have groups of their own, the dearest ones; the others share one. */
const MAX_VALUES = 1_000;

const DAY_MS = 86_400_000;

const WANTED = (row: string): string =>
  `($2::text IS NULL OR ${row}.model = $2) AND ($3::text IS NULL OR ${row}.api_key_id = $3)`;

/** Quality of a record's task, where it is asked for. */
const QUALITY = (row: string): string =>
  `CASE WHEN $11::boolean THEN (SELECT q.quality FROM tasks q WHERE q.id = ${row}.task_id) END`;

/** Condition that a record has the entries of the filter. */
const HAS_METADATA = (row: string): string => `($12::jsonb IS NULL OR ${row}.metadata @> $12)`;

/** Refunds `l` of the span with their records `u`. */
const REFUNDS = `
    FROM bounds s, ledger_transfers l JOIN usage_records u ON u.task_id = l.task_id
   WHERE $10::boolean AND l.account_id = $1 AND l.kind = 'refund' AND l.created_at >= s.lo AND l.created_at < s.hi AND ${WANTED('u')}`;

/** Columns of the groups of `used`. */
const GROUPS = `
       CASE WHEN $6::boolean THEN date_trunc('hour', at, 'UTC') END AS hour,
       CASE WHEN $7::boolean THEN date_trunc('day', at, 'UTC') END AS day,
       CASE WHEN $8::boolean THEN api_key_id END AS "apiKeyId", CASE WHEN $9::boolean THEN model END AS model,
       CASE WHEN $11::boolean THEN NULLIF(quality, '') END AS quality,
       sum(units)::int8 AS units, sum(cost_micros)::int8 AS "costMicros", sum(requests)::int8 AS requests`;

/** Builds a sum over `used`, which has `at`, `api_key_id`, `model`, `quality`, `units`, `cost_micros` and `requests`. */
const buildSum = (name: string, used: string): Statement => ({
  name,
  narrowBy: 'from and to',
  text: `
WITH bounds AS (SELECT $4::timestamptz AS lo, $5::timestamptz AS hi),
${used}
  UNION ALL
  SELECT l.created_at, u.api_key_id, u.model, ${QUALITY('u')}, 0, -l.amount_micros, 0 ${REFUNDS})
SELECT ${GROUPS}, NULL AS value
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

// Whole days come from the roll-up, which has no qualities; the days that the times cut, all hours and qualities from the
// records themselves.
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

// Counters and roll-ups know no metadata: all comes from the records themselves, which have no more than the value that is asked for.
const SUM_USAGE_BY_METADATA: Statement = {
  name: 'sum-usage-by-metadata',
  narrowBy: 'from and to',
  text: `
WITH bounds AS (SELECT $4::timestamptz AS lo, $5::timestamptz AS hi),
used (at, api_key_id, model, quality, units, cost_micros, requests, value) AS MATERIALIZED (
  SELECT r.created_at, r.api_key_id, r.model, ${QUALITY('r')}, r.units, r.cost_micros, 1, r.metadata ->> $13::text
    FROM bounds s, usage_records r
   WHERE r.account_id = $1 AND r.created_at >= s.lo AND r.created_at < s.hi AND ${WANTED('r')} AND ${HAS_METADATA('r')}
  UNION ALL
  SELECT l.created_at, u.api_key_id, u.model, ${QUALITY('u')}, 0, -l.amount_micros, 0, u.metadata ->> $13::text ${REFUNDS}
     AND ${HAS_METADATA('u')}),
dearest AS MATERIALIZED (
  SELECT value FROM used WHERE value IS NOT NULL GROUP BY value ORDER BY sum(cost_micros) DESC, value LIMIT ${MAX_VALUES})
SELECT ${GROUPS}, CASE WHEN value IS NULL OR value IN (SELECT d.value FROM dearest d) THEN value ELSE '${OTHER_VALUES}' END AS value
  FROM used GROUP BY 1, 2, 3, 4, 5, 9 ORDER BY 1, 2, 3, 4, 5, "costMicros" DESC, 9 LIMIT ${MAX_USAGE_GROUPS + 1}`,
};

/**
 * Sums up the usage of an account by groups; groups without usage are left out. Returns one group more than
 * `MAX_USAGE_GROUPS` when there are too many.
 */
export async function sumUsage(
  db: Pick<Database, 'run'>,
  accountId: string,
  { groups, metadataKey, includeRefunds, ...filter }: UsageSumInput,
): Promise<readonly UsageSumRow[]> {
  const { model: onlyModel = null, apiKeyId = null, from, to } = filter;
  const wanted = [onlyModel, apiKeyId, toTimestamp(from, '-infinity'), toTimestamp(to, 'infinity')];
  const [hour, day, key, model, quality] = (['hour', 'day', 'key', 'model', 'quality'] as const).map((name) =>
    groups.includes(name),
  );
  const values = [accountId, ...wanted, hour, day, key, model, includeRefunds, quality];
  if (metadataKey !== undefined || filter.metadata !== undefined) {
    const rows = await db.run<SumRow>(SUM_USAGE_BY_METADATA, [
      ...values,
      filter.metadata ?? null,
      metadataKey ?? null,
    ]);
    return rows.map(({ value, ...row }) => ({
      ...row,
      metadata: value === null || metadataKey === undefined ? null : { [metadataKey]: value },
    }));
  }
  const sum = async (statement: Statement, more: readonly unknown[]): Promise<readonly UsageSumRow[]> =>
    (await db.run<SumRow>(statement, [...values, ...more])).map(({ value: _none, ...row }) => ({
      ...row,
      metadata: null,
    }));
  if (!hour && !day) {
    return sum(SUM_USAGE, []);
  }
  const { days, edges } = hour || quality ? { days: EMPTY, edges: [filter] } : splitByDays(filter);
  return sum(SUM_USAGE_BY_TIME, [
    toTimestamp(days.from, '-infinity'),
    toTimestamp(days.to, 'infinity'),
    edges.map(({ from }) => toTimestamp(from, '-infinity')),
    edges.map(({ to }) => toTimestamp(to, 'infinity')),
  ]);
}

type SumRow = Omit<UsageSumRow, 'metadata'> & { readonly value: string | null };

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
