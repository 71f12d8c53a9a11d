import type { Database } from '../create-database.js';
import type { Task } from '../generated/client.js';
import type { Statement } from '../statement.js';

/** A task that could not be ended so far. */
export interface SetAsideTask
  extends Readonly<Pick<Task, 'id' | 'accountId' | 'settleFailures' | 'settleError'>> {
  /** Number of all tasks that are set aside. */
  readonly total: number;
}

const FIND_SET_ASIDE_TASKS: Statement = {
  name: 'find-set-aside-tasks',
  text: `
SELECT id, account_id AS "accountId", settle_failures AS "settleFailures", settle_error AS "settleError",
       (count(*) OVER ())::int AS total
  FROM tasks WHERE status = 'pending' AND settle_failures > 0 ORDER BY settle_failures DESC, id LIMIT $1::int`,
};

/** Finds up to `limit` tasks that could not be ended, those that failed most often first. */
export async function findSetAsideTasks(
  db: Pick<Database, 'run'>,
  { limit }: { readonly limit: number },
): Promise<SetAsideTask[]> {
  return db.run<SetAsideTask>(FIND_SET_ASIDE_TASKS, [limit]);
}
