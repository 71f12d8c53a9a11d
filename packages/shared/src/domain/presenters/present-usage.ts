import { type Metadata, sortMetadata, type TaskType } from '../contract/index.js';
import { formatDollars } from '../money/index.js';
import type { UsageRecordItem, UsageSummaryEntry } from '../usage/schema.js';

/** A usage record as the database holds it, or a refund with its negative cost. */
export interface UsageRecordView {
  readonly id: string;
  readonly taskId: string;
  readonly model: string;
  readonly type: TaskType | 'refund';
  readonly units: number;
  readonly costMicros: bigint;
  readonly createdAt: Date;
  readonly quality: string | null;
  readonly metadata: Metadata | null;
}

/** Writes a usage record as the API lists it. */
export function presentUsage(record: UsageRecordView): UsageRecordItem {
  return {
    id: record.id,
    task_id: record.taskId,
    model: record.model,
    type: record.type,
    units: record.units,
    cost: formatDollars(record.costMicros),
    created_at: record.createdAt.toISOString(),
    ...(record.metadata && { metadata: sortMetadata(record.metadata) }),
    ...(record.quality !== null && { quality: record.quality }),
  };
}

/** The usage of one group, summed up. Null: not grouped by this. */
export interface UsageSumView {
  readonly hour: Date | null;
  readonly day: Date | null;
  readonly apiKeyId: string | null;
  readonly model: string | null;
  readonly quality: string | null;
  readonly metadata: Metadata | null;
  readonly units: bigint;
  readonly costMicros: bigint;
  readonly requests: bigint;
}

/** Writes the usage of one group as an entry of the summary. */
export function presentUsageSum({
  hour,
  day,
  apiKeyId,
  model,
  quality,
  metadata,
  ...sum
}: UsageSumView): UsageSummaryEntry {
  return {
    ...(hour && { hour: hour.toISOString() }),
    ...(day && { day: day.toISOString().slice(0, 10) }),
    ...(apiKeyId !== null && { api_key_id: apiKeyId }),
    ...(model !== null && { model }),
    ...(quality !== null && { quality }),
    ...(metadata && { metadata }),
    total_units: Number(sum.units),
    total_cost: formatDollars(sum.costMicros),
    request_count: Number(sum.requests),
  };
}
