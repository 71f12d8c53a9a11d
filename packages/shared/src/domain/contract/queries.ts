import type { TaskStatus, TaskType } from './task.js';

/** A page of a list: its number, counted from 1, and its size. */
export interface PageQuery {
  readonly page: number;
  readonly per_page: number;
}

/** The validated query of `GET /v1/tasks/{id}`. */
export interface TaskQuery {
  readonly view?: 'full';
  /** Seconds. */
  readonly wait?: number;
}

/** The validated query of `GET /v1/tasks`. */
export interface TasksQuery extends PageQuery {
  readonly status?: TaskStatus;
  readonly model?: string;
  readonly type?: TaskType;
  /** Exclusive. */
  readonly created_after?: Date;
  /** Exclusive. */
  readonly created_before?: Date;
}

/** The validated query of `GET /v1/usage/summary`. */
export interface UsageFilter {
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly model?: string;
  readonly api_key_id?: string;
}

/** The validated query of `GET /v1/usage`. */
export interface UsageQuery extends UsageFilter, PageQuery {}
