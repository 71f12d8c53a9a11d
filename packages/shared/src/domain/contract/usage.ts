import type { Metadata } from './metadata.js';
import type { TaskType } from './task.js';

/** One usage record, or one refund, as `GET /v1/usage` lists it. */
export interface UsageRecordItem {
  readonly id: string;
  readonly task_id: string;
  readonly model: string;
  readonly type: TaskType | 'refund';
  /** Output images; none of a refund. */
  readonly units: number;
  /** Dollar string; negative for a refund. */
  readonly cost: string;
  readonly created_at: string;
  /** Of a task whose model has prices by quality. */
  readonly quality?: string;
  /** Of the task, until it is erased. */
  readonly metadata?: Metadata;
}

/** The usage of one group in `GET /v1/usage/summary`, with the fields by which it is grouped. */
export interface UsageSummaryEntry {
  /** Begin of the hour, ISO 8601. */
  readonly hour?: string;
  /** UTC, such as `2026-01-31`. */
  readonly day?: string;
  readonly api_key_id?: string;
  readonly model?: string;
  /** Absent for usage at plain prices. */
  readonly quality?: string;
  /** The one entry by which it is grouped. Absent for usage without it. */
  readonly metadata?: Metadata;
  readonly total_units: number;
  /** Dollar string; may be negative when refunds are included. */
  readonly total_cost: string;
  readonly request_count: number;
}
