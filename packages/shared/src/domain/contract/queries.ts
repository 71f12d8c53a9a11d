import type { Metadata } from './metadata.js';
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
  /** Entries that a task has. */
  readonly metadata?: Metadata;
}

/** Records of an account that usage is read from. */
export interface UsageFilter {
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly model?: string;
  readonly api_key_id?: string;
  /** Entries that the task of a record has. */
  readonly metadata?: Metadata;
  /** Adds refunds of charges. */
  readonly include?: 'refunds';
}

/** Fields by which usage is summed up. */
export const USAGE_GROUPS = ['hour', 'day', 'key', 'model', 'quality'] as const;
/** A field by which usage is summed up; hours and days are UTC. */
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** The validated query of `GET /v1/usage/summary`. */
export interface UsageSummaryQuery extends UsageFilter {
  /** Comma-separated groups, one of which may be `metadata:KEY`. */
  readonly group_by: string;
}

/** Formats of files with all usage. */
export const USAGE_FORMATS = ['csv', 'ndjson'] as const;
/** A format of files with all usage. */
export type UsageFormat = (typeof USAGE_FORMATS)[number];

/** The validated query of `GET /v1/usage`. */
export interface UsageQuery extends UsageFilter, PageQuery {
  /** All records and refunds as a file, without pages. */
  readonly format?: UsageFormat;
}

/** Kinds of movements of money on an account. */
export const MOVEMENT_KINDS = ['topup', 'capture', 'refund', 'adjust'] as const;
/** A kind of movements of money. */
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** The validated query of `GET /v1/account/statement`. */
export interface StatementQuery extends PageQuery {
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly kind?: MovementKind;
  /** All lines as a file, without pages. */
  readonly format?: 'csv';
}

/** Spans of the status page: hours of a day or of a week, days of a month. */
export const STATUS_SPANS = ['day', 'week', 'month'] as const;
/** A span of the status page. */
export type StatusSpan = (typeof STATUS_SPANS)[number];

/** Authors whose changes a page of the audit log shows. */
export const AUDIT_AUTHORS = ['everybody', 'operators'] as const;
/** Authors whose changes a page of the audit log shows. */
export type AuditAuthors = (typeof AUDIT_AUTHORS)[number];
