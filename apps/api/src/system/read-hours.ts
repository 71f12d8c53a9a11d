import type { StatusSpan } from '@image-gateway/shared/contract';
import type { Database, Statement } from '@image-gateway/shared/db';
import { sumBuckets } from '../provider/duration-buckets.js';

/** Tasks that ended in an hour or a day. */
export interface TaskSum {
  readonly at: Date;
  readonly completed: number;
  readonly failed: number;
  readonly images: number;
  readonly chargedMicros: bigint;
  readonly waits: readonly number[];
  readonly durations: readonly number[];
}

/** Calls of a provider that began in an hour or a day and have an outcome. */
export interface CallSum {
  readonly at: Date;
  readonly provider: string;
  readonly delivered: number;
  readonly failed: number;
  readonly costMicros: bigint;
}

/** Refunds of an hour or a day. */
export interface RefundSum {
  readonly at: Date;
  readonly refundedMicros: bigint;
}

/** Number and length of the hours or days of each span. The running one is the last. */
export const SPANS: Readonly<
  Record<StatusSpan, { readonly unit: 'hour' | 'day'; readonly count: number; readonly unitMs: number }>
> = {
  day: { unit: 'hour', count: 25, unitMs: 3_600_000 },
  week: { unit: 'hour', count: 7 * 24 + 1, unitMs: 3_600_000 },
  month: { unit: 'day', count: 31, unitMs: 86_400_000 },
};

const since = (column: string): string =>
  `${column} >= date_trunc($1::text, now(), 'UTC') - make_interval(hours => $2::int)`;
const truncate = (column: string): string => `date_trunc($1::text, ${column}, 'UTC')`;

const SUM_TASKS: Statement = {
  name: 'status-sum-tasks',
  text: `
SELECT ${truncate('hour')} AS at, sum(completed)::float8 AS completed, sum(failed)::float8 AS failed, sum(images)::float8 AS images,
       sum(charged_micros)::int8 AS "chargedMicros", ${sumBuckets('waits')} AS waits, ${sumBuckets('durations')} AS durations
  FROM task_hours WHERE ${since('hour')} GROUP BY 1`,
};
const SUM_CALLS: Statement = {
  name: 'status-sum-calls',
  text: `
SELECT ${truncate('hour')} AS at, provider, COALESCE(sum(calls) FILTER (WHERE state IN ('succeeded', 'short')), 0)::float8 AS delivered,
       COALESCE(sum(calls) FILTER (WHERE state IN ('failed', 'unusable', 'unknown', 'cut')), 0)::float8 AS failed,
       COALESCE(sum(cost_micros) FILTER (WHERE state <> 'rate_limited'), 0)::int8 AS "costMicros"
  FROM provider_call_hours WHERE ${since('hour')} GROUP BY 1, 2`,
};
const SUM_REFUNDS: Statement = {
  name: 'status-sum-refunds',
  text: `
SELECT ${truncate('created_at')} AS at, sum(amount_micros)::int8 AS "refundedMicros"
  FROM ledger_transfers WHERE kind = 'refund' AND ${since('created_at')} GROUP BY 1`,
};

/** Reads the sums of a span by hour or day. Tasks and calls are read from their hours: the number of tasks costs nothing. */
export async function readHours(
  db: Pick<Database, 'run'>,
  span: StatusSpan,
): Promise<{
  readonly now: Date;
  readonly tasks: readonly TaskSum[];
  readonly calls: readonly CallSum[];
  readonly refunds: readonly RefundSum[];
}> {
  const { unit, count, unitMs } = SPANS[span];
  const values = [unit, ((count - 1) * unitMs) / SPANS.day.unitMs];
  const [tasks, calls, refunds, [clock]] = await Promise.all([
    db.run<TaskSum>(SUM_TASKS, values),
    db.run<CallSum>(SUM_CALLS, values),
    db.run<RefundSum>(SUM_REFUNDS, values),
    db.run<{ readonly now: Date }>(
      { name: 'status-now', text: `SELECT date_trunc($1::text, now(), 'UTC') AS now` },
      [unit],
    ),
  ]);
  if (!clock) {
    throw new Error('a statement that always has a row had none');
  }
  return { now: clock.now, tasks, calls, refunds };
}
