import type { Metadata } from '@image-gateway/shared/contract';
import type {
  AccountReads,
  Statement,
  UsageDaily,
  UsageRowFilter,
  UsageSumInput,
} from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import { presentUsageSum } from '@image-gateway/shared/presenters';
import type { UsageView } from '@image-gateway/shared/usage/schema';
import { groupUsage, type UsageGrouping } from './group-usage.js';

/** Range of days, both included, such as `2026-01-31`; null: every model, every key. */
export interface UsageSelection extends UsageGrouping {
  readonly from: string;
  readonly to: string;
  readonly model: string | null;
  readonly apiKeyId: string | null;
  readonly metadata?: Metadata;
}

/** Usage of one model on one day. */
interface Row extends Readonly<Pick<UsageDaily, 'model' | 'units' | 'requests' | 'costMicros'>> {
  readonly day: string;
}

const FIND_USAGE_DAYS: Statement = {
  name: 'dashboard-usage-days',
  narrowBy: 'from and to',
  text: `
SELECT day::text AS day, model, sum(units)::int8 AS units, sum(requests)::int8 AS requests,
       sum(cost_micros)::int8 AS "costMicros"
  FROM usage_daily
 WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND ($4::text IS NULL OR model = $4)
   AND ($5::text IS NULL OR api_key_id = $5)
 GROUP BY day, model ORDER BY day, model`,
};

const SUM_REFUNDS: Statement = {
  name: 'dashboard-sum-refunds',
  narrowBy: 'from and to',
  text: `
SELECT COALESCE(sum(l.amount_micros), 0)::int8 AS "refundedMicros"
  FROM ledger_transfers l JOIN tasks t ON t.id = l.task_id
 WHERE l.account_id = $1 AND l.kind = 'refund'
   AND l.created_at >= $2::date::timestamp AT TIME ZONE 'UTC'
   AND l.created_at < ($3::date + 1)::timestamp AT TIME ZONE 'UTC' AND ($4::text IS NULL OR t.model = $4)
   AND ($5::text IS NULL OR t.api_key_id = $5) AND ($6::jsonb IS NULL OR t.metadata @> $6)`,
};

const DAY_MS = 86_400_000;

/** Turns days, both included, into the times of a filter. */
export function toRowFilter({ from, to, model, apiKeyId, metadata }: UsageSelection): UsageRowFilter {
  return {
    from: new Date(from),
    to: new Date(Date.parse(to) + DAY_MS),
    ...(model !== null && { model }),
    ...(apiKeyId !== null && { apiKeyId }),
    ...(metadata && { metadata }),
  };
}

/** Returns the usage of an account by day and model and by groups. Adds its sums, and the refunds of the same days. */
export async function findUsage(
  db: AccountReads,
  accountId: string,
  span: UsageSelection,
): Promise<UsageView> {
  const values = [accountId, span.from, span.to, span.model, span.apiKeyId];
  const { groups: names, metadataKey } = span;
  const filter = { ...toRowFilter(span), includeRefunds: false };
  const grouping = { ...filter, groups: names, ...(metadataKey !== undefined && { metadataKey }) };
  const [days, [refunds], groups] = await Promise.all([
    span.metadata ? sumDays(db, accountId, filter) : db.run<Row>(FIND_USAGE_DAYS, values),
    db.run<{ refundedMicros: bigint }>(SUM_REFUNDS, [...values, span.metadata ?? null]),
    groupUsage(db, accountId, grouping),
  ]);
  const chargedMicros = days.reduce((sum, { costMicros }) => sum + costMicros, 0n);
  const refundedMicros = refunds?.refundedMicros ?? 0n;
  return {
    from: span.from,
    to: span.to,
    days: days.map(({ day, model, units, requests, costMicros }) => ({
      day,
      model,
      units: Number(units),
      requests: Number(requests),
      cost: formatDollars(costMicros),
    })),
    groups: groups.map(presentUsageSum),
    units: Number(days.reduce((sum, { units }) => sum + units, 0n)),
    requests: Number(days.reduce((sum, { requests }) => sum + requests, 0n)),
    charged: formatDollars(chargedMicros),
    refunded: formatDollars(refundedMicros),
    net: formatDollars(chargedMicros - refundedMicros),
  };
}

/** Sums up the days of a filter that the roll-up does not know. */
async function sumDays(
  db: AccountReads,
  accountId: string,
  filter: Omit<UsageSumInput, 'groups'>,
): Promise<readonly Row[]> {
  const sums = await groupUsage(db, accountId, { ...filter, groups: ['day', 'model'] });
  return sums.map(({ day, model, ...sum }) => ({
    day: day?.toISOString().slice(0, 10) ?? '',
    model: model ?? '',
    ...sum,
  }));
}
