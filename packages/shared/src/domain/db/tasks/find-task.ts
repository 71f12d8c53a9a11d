import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { TASK_COLUMNS, type TaskRow } from './task-row.js';

const FIND_TASK: Statement = {
  name: 'find-task',
  text: `SELECT ${TASK_COLUMNS} FROM tasks t WHERE t.id = $1`,
};
const FIND_OWN_TASK: Statement = {
  name: 'find-own-task',
  text: `SELECT ${TASK_COLUMNS} FROM tasks t WHERE t.id = $1 AND t.account_id = $2 AND t.deleted_at IS NULL`,
};

/** Finds a task by its id, whosever it is: for workers and operators. */
export async function findTask(db: Database, id: string): Promise<TaskRow | null> {
  const [row] = await db.run<TaskRow>(FIND_TASK, [id]);
  return row ?? null;
}

/** Finds a task of one account; another account's task is as unknown as one that does not exist. */
export async function findOwnTask(db: Database, id: string, accountId: string): Promise<TaskRow | null> {
  const [row] = await db.run<TaskRow>(FIND_OWN_TASK, [id, accountId]);
  return row ?? null;
}
