import type { Statement } from '@image-gateway/shared/db';
import type { Invariant } from './parse-invariants.js';

/** Ids after `after` up to `upTo`; null: to the end. */
export interface IdRange {
  readonly after: string;
  readonly upTo: string | null;
}

/** Columns that hold the id of an account or of a task, by table. */
const KEYS: Readonly<Record<'account' | 'task', Readonly<Record<string, string>>>> = {
  account: {
    accounts: 'id',
    tasks: 'account_id',
    ledger_transfers: 'account_id',
    usage_records: 'account_id',
    usage_daily: 'account_id',
    task_counts: 'account_id',
    delivery_counts: 'account_id',
    usage_counts: 'account_id',
    key_spend: 'account_id',
    webhook_backlogs: 'account_id',
    webhook_hosts: 'account_id',
    webhook_deliveries: 'account_id',
  },
  task: {
    tasks: 'id',
    task_outputs: 'task_id',
    ledger_transfers: 'task_id',
    usage_records: 'task_id',
    webhook_deliveries: 'task_id',
    facade_requests: 'task_id',
  },
};

/**
 * Returns the statement that checks an invariant for a range of accounts or tasks. Common table expressions with the names
 * of the tables restrict the rows, so that the text of the invariant stays unchanged.
 */
export function restrictToRange(
  { name, by, sql }: Invariant & { readonly by: 'account' | 'task' },
  { after, upTo }: IdRange,
): { readonly statement: Statement; readonly values: readonly string[] } {
  const end = upTo === null ? '' : ' AND %s <= $2';
  const tables = Object.entries(KEYS[by]).map(
    ([table, key]) =>
      `${table} AS NOT MATERIALIZED (SELECT * FROM ${table} WHERE ${key} > $1${end.replace('%s', key)})`,
  );
  return {
    statement: {
      name: `ledger-check-${name.split(' ')[0]}${upTo === null ? '-end' : ''}`,
      // An invariant may begin with common table expressions of its own.
      text: `WITH ${tables.join(',\n')}${sql.replace(/^WITH\s/, ',\n').replace(/^(?=SELECT)/, '\n')}`,
    },
    values: upTo === null ? [after] : [after, upTo],
  };
}
