import type { TaskType } from './task.js';

/** One usage record as `GET /v1/usage` lists it. */
export interface UsageRecordItem {
  readonly id: string;
  readonly task_id: string;
  readonly model: string;
  readonly type: TaskType;
  /** Output images. */
  readonly units: number;
  /** Dollar string. */
  readonly cost: string;
  readonly created_at: string;
}

/** The usage of one model in `GET /v1/usage/summary`. */
export interface UsageSummaryEntry {
  readonly model: string;
  readonly total_units: number;
  readonly total_cost: string;
  readonly request_count: number;
}
