import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** Uploads of an account that no task uses, at most. */
const MAX_UNUSED = 100;

const ADD_TASK_INPUT: Statement = {
  name: 'add-task-input',
  text: `
INSERT INTO task_inputs (id, account_id, remove_at)
SELECT $1, $2, now() + interval '1 hour'
 WHERE (SELECT count(*) FROM (SELECT FROM task_inputs WHERE account_id = $2 AND task_id IS NULL LIMIT $3::int) u) < $3::int
RETURNING id`,
};

const LINK_TASK_INPUTS: Statement = {
  name: 'link-task-inputs',
  text: 'UPDATE task_inputs SET task_id = $1 WHERE id = ANY($2::text[]) AND task_id IS NULL',
};

const EXPIRE_TASK_INPUTS: Statement = {
  name: 'expire-task-inputs',
  text: 'UPDATE task_inputs SET task_id = NULL, remove_at = now() WHERE task_id = $1',
};

/** Adds the row of an upload, before its object is stored; false when the account has too many that no task uses. */
export async function addTaskInput(
  db: Pick<Database, 'run'>,
  { id, accountId }: { readonly id: string; readonly accountId: string },
): Promise<boolean> {
  return (await db.run(ADD_TASK_INPUT, [id, accountId, MAX_UNUSED])).length > 0;
}

/** Names the task that uses uploads. Without it they are removed an hour after they came. */
export async function linkTaskInputs(
  db: Pick<Database, 'run'>,
  { taskId, ids }: { readonly taskId: string; readonly ids: readonly string[] },
): Promise<void> {
  await db.run(LINK_TASK_INPUTS, [taskId, ids]);
}

/** Lets the next sweep remove the uploads of a finished task. */
export async function expireTaskInputs(db: Pick<Database, 'run'>, taskId: string): Promise<void> {
  await db.run(EXPIRE_TASK_INPUTS, [taskId]);
}
