import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { OrphanCheck } from './take-orphan-checks.js';

const PUT_OFF: Statement = {
  name: 'put-off-orphan-check',
  text: `
UPDATE orphan_checks SET round = 1, due_at = now() + interval '1 hour' WHERE task_id = $1 AND round = 0 AND due_at = $2`,
};
const FORGET: Statement = {
  name: 'forget-orphan-check',
  text: 'DELETE FROM orphan_checks WHERE task_id = $1 AND round > 0 AND due_at = $2',
};

/** Ends a look at a task's objects: after the first one another is due an hour later, for what a slow worker may still write. A check that was asked for anew since it was taken stays due. */
export async function finishOrphanCheck(
  db: Pick<Database, 'run'>,
  { taskId, round, dueAt }: Pick<OrphanCheck, 'taskId' | 'round' | 'dueAt'>,
): Promise<void> {
  await db.run(round === 0 ? PUT_OFF : FORGET, [taskId, dueAt]);
}
