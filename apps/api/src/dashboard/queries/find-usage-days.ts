import type { Database, Statement } from '@image-gateway/shared/db';

/** Which days of an account, both included, such as `2026-01-31`; null: every model. */
export interface UsageSpan {
  readonly from: string;
  readonly to: string;
  readonly model: string | null;
}

/** The usage of one model on one day. Money in micro-dollars. */
export interface UsageDayRow {
  readonly day: string;
  readonly model: string;
  readonly units: bigint;
  readonly requests: bigint;
  readonly costMicros: bigint;
}

const FIND_USAGE_DAYS: Statement = {
  name: 'dashboard-usage-days',
  text: `
SELECT day::text AS day, model, sum(units)::int8 AS units, sum(requests)::int8 AS requests,
       sum(cost_micros)::int8 AS "costMicros"
  FROM usage_daily
 WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND ($4::text IS NULL OR model = $4)
 GROUP BY day, model ORDER BY day, model`,
};

const SUM_REFUNDS: Statement = {
  name: 'dashboard-sum-refunds',
  text: `
SELECT COALESCE(sum(l.amount_micros), 0)::int8 AS "refundedMicros"
  FROM ledger_transfers l JOIN tasks t ON t.id = l.task_id
 WHERE l.account_id = $1 AND l.kind = 'refund'
   AND l.created_at >= $2::date::timestamp AT TIME ZONE 'UTC'
   AND l.created_at < ($3::date + 1)::timestamp AT TIME ZONE 'UTC' AND ($4::text IS NULL OR t.model = $4)`,
};

/** Reads the usage of an account by day and model, from the roll-up that the settling statement keeps, and what was given back in the same days. */
export async function findUsageDays(
  db: Pick<Database, 'run'>,
  accountId: string,
  { from, to, model }: UsageSpan,
): Promise<{ readonly days: readonly UsageDayRow[]; readonly refundedMicros: bigint }> {
  const values = [accountId, from, to, model];
  const [days, [refunds]] = await Promise.all([
    db.run<UsageDayRow>(FIND_USAGE_DAYS, values),
    db.run<{ refundedMicros: bigint }>(SUM_REFUNDS, values),
  ]);
  return { days, refundedMicros: refunds?.refundedMicros ?? 0n };
}
