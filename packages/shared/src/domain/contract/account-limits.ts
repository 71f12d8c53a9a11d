import { defineLimits, type LimitsBody, type LimitsView } from './limit-table.js';

const COUNT = 1_000_000;

/** Every limit that an operator can give to one account, in place of a setting. Its columns are those of `accounts`. */
export const ACCOUNT_LIMITS = defineLimits({
  max_open_tasks: {
    kind: 'count',
    columns: ['max_open_tasks'],
    max: COUNT,
    option: 'max-open',
    setting: 'MAX_PENDING_TASKS',
    label: 'Open tasks at a time',
  },
  requests: {
    kind: 'rate',
    columns: ['max_requests', 'requests_seconds'],
    max: COUNT,
    option: 'requests',
    setting: 'RATE_LIMIT_ACCOUNT',
    label: 'Requests of all keys together',
  },
  failed: {
    kind: 'rate',
    columns: ['max_failed_tasks', 'failed_tasks_seconds'],
    max: COUNT,
    option: 'failed',
    setting: 'MAX_FAILED_TASKS',
    label: 'Tasks that fail because of their requests',
  },
  retention_days: {
    kind: 'count',
    columns: ['retention_days'],
    max: 36_500,
    option: 'retention-days',
    setting: 'RETENTION_DAYS',
    label: 'Days until finished tasks are erased',
  },
});

/** Name of a limit of an account. */
export type AccountLimitName = keyof typeof ACCOUNT_LIMITS;

/** Limits of an account; null where the setting holds. */
export type AccountLimitsView = LimitsView<typeof ACCOUNT_LIMITS>;

/** Limits of an account to change. */
export type AccountLimitsBody = LimitsBody<typeof ACCOUNT_LIMITS>;
