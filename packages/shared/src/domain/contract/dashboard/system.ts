/** First page of an operator. */
export interface SystemView {
  readonly accounts: number;
  readonly suspended: number;
  readonly open_tasks: number;
  readonly stuck_tasks: number;
  readonly completed_today: number;
  readonly failed_today: number;
  /** May be negative. */
  readonly revenue_today: string;
  readonly balances: string;
  readonly held: string;
  readonly webhooks_failed_today: number;
  /** Accounts that signed up themselves when the credits of the day were used up. */
  readonly signups_without_credit_today: number;
  /** Percent of UNPAID_FILES_BYTES that accounts without a payment store. */
  readonly unpaid_files_percent: number;
}

/** Work of one queue, by the database, and its hints, by Redis. */
export interface QueueItem {
  readonly name: 'generation' | 'webhook';
  readonly due: number;
  readonly later: number;
  readonly running: number;
  /** Wait of the oldest due row in seconds; null when none is due. */
  readonly oldest_seconds: number | null;
  /** Null when Redis is unreachable. */
  readonly hints: number | null;
  /** Processes that consume the queue; null when Redis is unreachable. */
  readonly consumers: number | null;
}

/** Hint in Redis. */
export interface HintItem {
  readonly queue: 'generation' | 'webhook';
  readonly id: string;
  readonly state: string;
  readonly added_at: string;
}

/** Authors whose changes a page of the audit log shows. */
export const AUDIT_AUTHORS = ['everybody', 'operators'] as const;
/** Authors whose changes a page of the audit log shows. */
export type AuditAuthors = (typeof AUDIT_AUTHORS)[number];

/** Filters of the audit log; an empty one filters nothing. */
export interface AuditQuery {
  /** Id of what was changed. */
  readonly subject?: string;
  readonly by?: AuditAuthors;
  /** E-mail address of the author, or cli. */
  readonly actor?: string;
  /** Such as key.rotate. */
  readonly action?: string;
  /** UTC day such as 2026-01-31. */
  readonly day?: string;
}

/** Entry of the audit log. */
export interface AuditItem {
  readonly id: string;
  readonly action: string;
  readonly subject: string;
  readonly actor: string;
  /** Account whose owner made the change; null for operators and the command line. */
  readonly account_id: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

/** Result of a check of the books. */
export interface LedgerReport {
  readonly checked: number;
  readonly broken: readonly {
    readonly name: string;
    readonly rows: readonly Readonly<Record<string, string>>[];
  }[];
  readonly ms: number;
}
