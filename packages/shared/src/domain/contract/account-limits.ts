/** Limit that an operator can give to one account, in place of a setting. */
interface AccountLimitEntry {
  /** Columns of `accounts`: the number, and the seconds of a rate. */
  readonly columns: readonly [string] | readonly [string, string];
  readonly max: number;
  /** Option of `gateway account limits`. */
  readonly option: string;
  /** Setting that holds without it. */
  readonly setting: string;
  readonly label: string;
}

const COUNT = 1_000_000;
const SECONDS = 999_999;

/** Every limit of an account. Validation, statements, command line, form and audit follow from this table. */
export const ACCOUNT_LIMITS = {
  max_open_tasks: {
    columns: ['max_open_tasks'],
    max: COUNT,
    option: 'max-open',
    setting: 'MAX_PENDING_TASKS',
    label: 'Open tasks at a time',
  },
  requests: {
    columns: ['max_requests', 'requests_seconds'],
    max: COUNT,
    option: 'requests',
    setting: 'RATE_LIMIT_ACCOUNT',
    label: 'Requests of all keys together',
  },
  failed: {
    columns: ['max_failed_tasks', 'failed_tasks_seconds'],
    max: COUNT,
    option: 'failed',
    setting: 'MAX_FAILED_TASKS',
    label: 'Tasks that fail because of their requests',
  },
  retention_days: {
    columns: ['retention_days'],
    max: 36_500,
    option: 'retention-days',
    setting: 'RETENTION_DAYS',
    label: 'Days until finished tasks are erased',
  },
} as const satisfies Readonly<Record<string, AccountLimitEntry>>;

/** Name of a limit of an account. */
export type AccountLimitName = keyof typeof ACCOUNT_LIMITS;

/** Names of all limits of an account. */
export const ACCOUNT_LIMIT_NAMES = Object.keys(ACCOUNT_LIMITS) as AccountLimitName[];

/** Limits of an account; null where the setting holds. A rate is `count/seconds`, such as `600/60`. */
export interface AccountLimitsView {
  readonly max_open_tasks: number | null;
  readonly requests: string | null;
  readonly failed: string | null;
  readonly retention_days: number | null;
}

/** Limits to change: absent ones stay, null and empty text remove a limit. */
export type AccountLimitsBody = Readonly<Partial<Record<AccountLimitName, number | string | null>>>;

/** Says which values a limit takes, such as `600/60`. */
export function describeAccountLimit(name: AccountLimitName): string {
  const { columns, max } = ACCOUNT_LIMITS[name];
  const number = `a whole number from 1 to ${max.toLocaleString('en-US')}`;
  return columns.length === 1 ? number : `count/seconds such as 600/60, the count ${number}`;
}

/**
 * Parses a limit into the values of its columns; all null for a removed limit. Throws an Error that says what is expected.
 */
export function parseAccountLimit(
  name: AccountLimitName,
  given: number | string | null,
): readonly (number | null)[] {
  const { columns, max, label } = ACCOUNT_LIMITS[name];
  const text = String(given ?? '').trim();
  if (text === '') {
    return columns.map(() => null);
  }
  const parts = text.split('/');
  const values = parts.map((part) => (/^\d{1,7}$/.test(part) ? Number(part) : 0));
  const [count = 0, seconds = 1] = values;
  const isRight = parts.length === columns.length && count >= 1 && count <= max;
  if (!isRight || seconds < 1 || seconds > SECONDS) {
    throw new Error(`${label}: ${describeAccountLimit(name)}, or empty.`);
  }
  return values;
}
