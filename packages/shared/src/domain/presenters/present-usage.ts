import type { TaskType, UsageRecordItem, UsageSummaryEntry } from '../contract/index.js';
import { formatDollars } from '../money/index.js';

/** A usage record as the database holds it. */
export interface UsageView {
  readonly id: string;
  readonly taskId: string;
  readonly model: string;
  readonly type: TaskType;
  readonly units: number;
  readonly costMicros: bigint;
  readonly createdAt: Date;
}

/** Writes a usage record as the API lists it. */
export function presentUsage(record: UsageView): UsageRecordItem {
  return {
    id: record.id,
    task_id: record.taskId,
    model: record.model,
    type: record.type,
    units: record.units,
    cost: formatDollars(record.costMicros),
    created_at: record.createdAt.toISOString(),
  };
}

/** The usage of one model, summed up. */
export interface UsageSumView {
  readonly model: string;
  readonly units: bigint;
  readonly costMicros: bigint;
  readonly requests: bigint;
}

/** Writes the usage of one model as an entry of the summary. */
export function presentUsageSum(sum: UsageSumView): UsageSummaryEntry {
  return {
    model: sum.model,
    total_units: Number(sum.units),
    total_cost: formatDollars(sum.costMicros),
    request_count: Number(sum.requests),
  };
}
