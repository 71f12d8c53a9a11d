import type { PublicTask } from './task.js';

/** Types of events that an account's endpoints can have. */
export const ACCOUNT_EVENTS = ['account.balance_low', 'key.cap_reached', 'webhook.failing'] as const;
/** Types of events that operators' endpoints can have; `account.balance_low` is for any account. */
export const OPERATOR_EVENTS = [
  'account.balance_low',
  'account.credit_requested',
  'account.moderated',
  'files.unpaid_full',
  'ledger.check_failed',
  'provider.needs_operator',
  'signup.credit_exhausted',
  'webhook.failing',
] as const;
/** Endpoints of an account, and of operators, at most. */
export const MAX_ENDPOINTS = 10;
/** Refusals of an account by moderation in a UTC day above which operators are told. */
export const MAX_REFUSALS = 20;

/** The body of a webhook; `data` is byte for byte what `GET /v1/tasks/{id}` gives. */
export interface WebhookEvent {
  readonly type: 'task.completed' | 'task.failed';
  /** When the task ended, ISO 8601. */
  readonly timestamp: string;
  readonly data: PublicTask;
}
