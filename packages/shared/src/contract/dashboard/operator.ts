/** An account as operators see it. Money in dollar strings. */
export interface AccountItem {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly balance: string;
  readonly held: string;
  readonly available: string;
  readonly open_tasks: number;
  readonly tasks: number;
  readonly usage_records: number;
  readonly created_at: string;
}

/** A movement of money. */
export interface TransferItem {
  readonly id: string;
  readonly kind: string;
  /** Dollar string, with a minus when it left the account. */
  readonly amount: string;
  readonly task_id: string | null;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly created_at: string;
}

/** One account with what hangs on it. */
export interface AccountDetail extends AccountItem {
  /** null: what everybody may have. */
  readonly max_open_tasks: number | null;
  readonly key_requests_per_minute: number | null;
  readonly users: readonly { readonly id: string; readonly email: string }[];
  readonly keys: { readonly active: number; readonly total: number };
  readonly transfers: readonly TransferItem[];
}

/** How the calls to one provider went in a span of time. Money in dollar strings. */
export interface ProviderItem {
  readonly provider: string;
  readonly calls: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly refused: number;
  readonly rate_limited: number;
  readonly unknown: number;
  readonly open: number;
  /** Milliseconds; null without a call that has ended. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly cost: string;
  readonly last_call_at: string | null;
}

/** A worker process that reported lately. */
export interface WorkerItem {
  readonly id: string;
  readonly service: string;
  readonly host: string;
  readonly pid: number;
  readonly started_at: string;
  readonly seen_at: string;
  readonly alive: boolean;
  readonly candidates: readonly CandidateItem[];
}

/** How a worker sees one model of one provider. */
export interface CandidateItem {
  readonly provider: string;
  readonly model: string;
  readonly circuit: string;
  /** How long it rests after a rate limit; 0: it does not. */
  readonly paused_seconds: number;
  /** Asked last, since it or one of its keys was refused. */
  readonly set_aside: boolean;
  readonly running: number;
}

/** The providers, with what their calls cost us and what customers were charged in the same span. */
export interface ProvidersView {
  readonly hours: number;
  readonly providers: readonly ProviderItem[];
  readonly cost: string;
  readonly revenue: string;
  readonly margin: string;
  readonly workers: readonly WorkerItem[];
}

/** What waits and what runs. */
export interface QueueItem {
  readonly name: 'generation' | 'webhook';
  readonly due: number;
  readonly later: number;
  readonly running: number;
  /** Seconds that the oldest due one has waited; null when none is due. */
  readonly oldest_seconds: number | null;
  /** Hints in Redis; null when it does not answer. */
  readonly hints: number | null;
  /** Processes that take from the queue; null when Redis does not answer. */
  readonly consumers: number | null;
}

/** A hint in Redis: says that there may be something to do, never what is true. */
export interface HintItem {
  readonly queue: 'generation' | 'webhook';
  readonly id: string;
  readonly state: string;
  readonly added_at: string;
}

/** An open task as operators see it in a list. */
export interface OpenTaskItem {
  readonly id: string;
  readonly account_id: string;
  readonly email: string;
  readonly model: string;
  readonly phase: string;
  readonly tries: number;
  readonly attempt: number;
  readonly stored: number;
  readonly asked: number;
  readonly worker: string | null;
  readonly held: string;
  readonly created_at: string;
  readonly due_at: string;
  readonly lease_until: string | null;
  readonly deadline_at: string;
  /** Overdue, out of its lease or near its deadline. */
  readonly is_stuck: boolean;
}

/** A change that somebody made by hand. */
export interface AuditItem {
  readonly id: string;
  readonly action: string;
  readonly subject: string;
  readonly actor: string;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

/** What the check of the books found. */
export interface LedgerReport {
  readonly checked: number;
  readonly broken: readonly {
    readonly name: string;
    readonly rows: readonly Readonly<Record<string, string>>[];
  }[];
  readonly ms: number;
}

/** The whole gateway at a glance. Money in dollar strings. */
export interface SystemView {
  readonly accounts: number;
  readonly suspended: number;
  readonly open_tasks: number;
  readonly stuck_tasks: number;
  readonly completed_today: number;
  readonly failed_today: number;
  readonly revenue_today: string;
  readonly balances: string;
  readonly held: string;
  readonly webhooks_failed_today: number;
}
