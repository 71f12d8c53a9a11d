import type { Database } from '../create-database.js';
import type { Task } from '../generated/client.js';
import { inputRows, isInput, type Statement } from '../statement.js';

const MAX_ERROR_LENGTH = 500;

// 10 s, then twice as long each time, at most a minute.
const SET_TASK_ASIDE: Statement = {
  name: 'set-task-aside',
  text: `
WITH ${inputRows('id text, error text')}
UPDATE tasks t
   SET settle_failures = t.settle_failures + 1, settle_failed_at = now(), settle_error = i.error,
       sweep_after = now() + LEAST(10 * 2 ^ LEAST(t.settle_failures, 6), 60) * interval '1 second'
  FROM input i WHERE ${isInput('t.id', 'id')} AND t.status = 'pending'`,
  batch: { distinct: 'id' },
};

/** Notes that a task could not be ended, and why; the sweep tries it again after a backoff and serves the others meanwhile. */
export async function setTaskAside(
  db: Pick<Database, 'run'>,
  { taskId, error }: { readonly taskId: string; readonly error: string },
): Promise<void> {
  await db.run(SET_TASK_ASIDE, [{ id: taskId, error: error.slice(0, MAX_ERROR_LENGTH) }]);
}

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
