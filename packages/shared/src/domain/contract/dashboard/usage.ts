import type { UsageSummaryEntry } from '../usage.js';
import type { TaskItem } from './task.js';

/** Usage of one day. */
export interface SpendDay {
  /** UTC, such as `2026-01-31`. */
  readonly day: string;
  readonly cost: string;
  readonly units: number;
}

/** First page of an owner. */
export interface OverviewView {
  readonly balance: string;
  readonly held: string;
  readonly available: string;
  readonly open_tasks: number;
  readonly active_keys: number;
  /** The last thirty days, oldest first, including days without usage. */
  readonly days: readonly SpendDay[];
  readonly spent: string;
  /** Tasks that completed in the last thirty days. */
  readonly completed: number;
  readonly failed: number;
  readonly last_tasks: readonly TaskItem[];
}

/** Usage of one model on one day. */
export interface UsageDay {
  /** UTC, such as `2026-01-31`. */
  readonly day: string;
  readonly model: string;
  readonly units: number;
  readonly requests: number;
  readonly cost: string;
}

/** Usage of a period, by day and model, and by the groups of the query. */
export interface UsageView {
  readonly from: string;
  /** Inclusive. */
  readonly to: string;
  readonly days: readonly UsageDay[];
  readonly groups: readonly UsageSummaryEntry[];
  readonly units: number;
  readonly requests: number;
  readonly charged: string;
  readonly refunded: string;
}

/** Query parameters `metadata[key]`: entries that a task has. */
export type MetadataQuery = Readonly<Partial<Record<`metadata[${string}]`, string>>>;

/** Query of the usage page and of its files; days are UTC and inclusive. */
export interface UsageSpanQuery extends MetadataQuery {
  readonly from?: string;
  readonly to?: string;
  readonly model?: string;
  readonly api_key_id?: string;
  /** Comma-separated, of hour (for at most seven days), day, key, model, quality and one `metadata:KEY`. */
  readonly group_by?: string;
}
