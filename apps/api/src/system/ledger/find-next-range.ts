import type { Database, Statement } from '@image-gateway/shared/db';
import type { IdRange } from './restrict-to-range.js';

const NEXT_ACCOUNTS: Statement = {
  name: 'ledger-check-next-accounts',
  text: 'SELECT id, task_count::float8 AS tasks FROM accounts WHERE id > $1 ORDER BY id LIMIT $2::int',
};
const NEXT_TASKS: Statement = {
  name: 'ledger-check-next-tasks',
  text: `
SELECT max(id) AS last, count(*)::int AS count FROM (SELECT id FROM tasks WHERE id > $1 ORDER BY id LIMIT $2::int) t`,
};

/** Maximum sizes of a step. An account is never split, whatever its number of tasks. */
export interface StepSizes {
  readonly accounts: number;
  readonly tasks: number;
}

/** Finds the next range of accounts or tasks, and the number of rows for the progress. */
export async function findNextRange(
  db: Pick<Database, 'run'>,
  by: 'account' | 'task',
  { after, sizes }: { readonly after: string; readonly sizes: StepSizes },
): Promise<IdRange & { readonly count: number }> {
  if (by === 'task') {
    const [found] = await db.run<{ last: string | null; count: number }>(NEXT_TASKS, [after, sizes.tasks]);
    const { last = null, count = 0 } = found ?? {};
    return { after, upTo: count < sizes.tasks ? null : last, count };
  }
  const rows = await db.run<{ id: string; tasks: number }>(NEXT_ACCOUNTS, [after, sizes.accounts]);
  let tasks = 0;
  let count = 0;
  for (const row of rows) {
    tasks += row.tasks;
    count += 1;
    if (tasks >= sizes.tasks) {
      break;
    }
  }
  const isLast = count === rows.length && rows.length < sizes.accounts;
  return { after, upTo: isLast ? null : (rows[count - 1]?.id ?? null), count };
}
