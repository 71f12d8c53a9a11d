import type { AccountLimitsView } from '../account-limits.js';

/** Account in the list of operators. */
export interface AccountItem {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  /** Why it is suspended; its owner sees it. */
  readonly suspension_reason?: string;
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

/** Account with its users, limits and last transfers. */
export interface AccountDetail extends AccountItem {
  readonly limits: AccountLimitsView;
  readonly users: readonly { readonly id: string; readonly email: string }[];
  readonly keys: { readonly active: number; readonly total: number };
  readonly transfers: readonly TransferItem[];
}

/** Result of a booking by hand, for people to read. */
export interface BookedView {
  readonly amount: string;
  /** Balance of the account afterwards. */
  readonly balance: string;
}

/** Request of an owner for credit, which nothing was credited for yet. */
export interface CreditRequestItem {
  readonly account_id: string;
  readonly email: string;
  /** Null where no amount was named. */
  readonly amount: string | null;
  readonly note: string | null;
  readonly created_at: string;
}

/** Body that asks the operators for credit. */
export interface CreditRequestBody {
  /** Dollars such as `5.00`; empty or absent: any. */
  readonly amount?: string;
  readonly note?: string;
}

/** Body that credits or adjusts an account; `reference` makes a repeat safe. */
export interface MoneyBody {
  /** Dollars such as `5.00`. */
  readonly amount: string;
  readonly reason: string;
  readonly reference?: string;
}
