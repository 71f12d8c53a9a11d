import type { StatusSpan } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { StatusFigures, StatusView } from '@image-gateway/shared/system/schema';
import { addBuckets, estimatePercentile } from '../provider/duration-buckets.js';
import { sumSandboxSales } from '../provider/sum-sandbox-sales.js';
import { type CallSum, type RefundSum, readHours, SPANS, type TaskSum } from './read-hours.js';

interface Sums {
  readonly tasks: readonly TaskSum[];
  readonly calls: readonly CallSum[];
  readonly refunds: readonly RefundSum[];
}

/** Returns throughput, times, success by provider and money of a span, for each of its hours or days and as a whole. */
export async function findStatus(db: Pick<Database, 'run'>, span: StatusSpan): Promise<StatusView> {
  const { unit, count, unitMs } = SPANS[span];
  const { now, ...sums } = await readHours(db, span);
  const starts = Array.from({ length: count }, (_, n) => now.getTime() - (count - 1 - n) * unitMs);
  const sales = await sumSandboxSales(db, { since: new Date(starts[0] ?? now) });
  const sandbox = {
    charged: totalMicros(sales, ({ chargedMicros }) => chargedMicros),
    refunded: totalMicros(sales, ({ refundedMicros }) => refundedMicros),
  };
  const providers = [...new Set(sums.calls.map(({ provider }) => provider))].sort();
  return {
    span,
    unit,
    points: starts.map((start) => ({
      at: new Date(start).toISOString(),
      ...presentFigures({
        tasks: pick(sums.tasks, start),
        calls: pick(sums.calls, start),
        refunds: pick(sums.refunds, start),
      }),
    })),
    providers: providers.map((provider) => {
      const calls = sums.calls.filter((sum) => sum.provider === provider);
      return {
        provider,
        delivered: starts.map((start) => total(pick(calls, start), ({ delivered }) => delivered)),
        failed: starts.map((start) => total(pick(calls, start), ({ failed }) => failed)),
      };
    }),
    whole: {
      ...presentFigures(sums),
      sandbox: formatDollars(sandbox.charged),
      margin: formatDollars(sumMargin(sums) - sandbox.charged + sandbox.refunded),
    },
  };
}

function presentFigures({ tasks, calls, refunds }: Sums): StatusFigures {
  const waits = addBuckets(tasks.map((task) => task.waits));
  const durations = addBuckets(tasks.map((task) => task.durations));
  return {
    completed: total(tasks, ({ completed }) => completed),
    failed: total(tasks, ({ failed }) => failed),
    images: total(tasks, ({ images }) => images),
    wait_p50_ms: estimatePercentile(waits, 0.5),
    wait_p95_ms: estimatePercentile(waits, 0.95),
    total_p50_ms: estimatePercentile(durations, 0.5),
    total_p95_ms: estimatePercentile(durations, 0.95),
    charged: formatDollars(totalMicros(tasks, ({ chargedMicros }) => chargedMicros)),
    refunded: formatDollars(totalMicros(refunds, ({ refundedMicros }) => refundedMicros)),
    cost: formatDollars(totalMicros(calls, ({ costMicros }) => costMicros)),
  };
}

const pick = <T extends { readonly at: Date }>(rows: readonly T[], start: number): T[] =>
  rows.filter(({ at }) => at.getTime() === start);
const total = <T>(rows: readonly T[], value: (row: T) => number): number =>
  rows.reduce((sum, row) => sum + value(row), 0);
const totalMicros = <T>(rows: readonly T[], value: (row: T) => bigint): bigint =>
  rows.reduce((sum, row) => sum + value(row), 0n);

function sumMargin({ tasks, calls, refunds }: Sums): bigint {
  const charged = totalMicros(tasks, ({ chargedMicros }) => chargedMicros);
  const refunded = totalMicros(refunds, ({ refundedMicros }) => refundedMicros);
  return charged - refunded - totalMicros(calls, ({ costMicros }) => costMicros);
}
