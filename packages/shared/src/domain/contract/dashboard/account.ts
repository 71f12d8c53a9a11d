/** Account in the list of operators. */
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

/** Movement of money on an account. */
export interface TransferItem {
  readonly id: string;
  readonly kind: string;
  /** Negative when it left the account. */
  readonly amount: string;
  readonly task_id: string | null;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly created_at: string;
}

/** Account with its users, limits and last transfers; a limit of null means the setting of the gateway. */
export interface AccountDetail extends AccountItem {
  readonly max_open_tasks: number | null;
  /** Requests of all keys together in `requests_seconds`. */
  readonly key_requests_per_minute: number | null;
  readonly requests_seconds: number;
  readonly max_failed_tasks: number | null;
  readonly failed_tasks_seconds: number | null;
  /** Days after which finished tasks are erased. */
  readonly retention_days: number | null;
  readonly users: readonly { readonly id: string; readonly email: string }[];
  readonly keys: { readonly active: number; readonly total: number };
  readonly transfers: readonly TransferItem[];
}

/** Body that credits or adjusts an account; `reference` makes a repeat safe. */
export interface MoneyBody {
  /** Dollars such as `5.00`. */
  readonly amount: string;
  readonly reason: string;
  readonly reference?: string;
}

/** Body that sets the limits of an account; null removes a limit, and without `retention_days` the retention stays. */
export interface LimitsBody {
  readonly max_open_tasks: number | null;
  readonly key_requests_per_minute: number | null;
  readonly requests_seconds?: number | null;
  readonly max_failed_tasks?: number | null;
  readonly failed_tasks_seconds?: number | null;
  readonly retention_days?: number | null;
}
