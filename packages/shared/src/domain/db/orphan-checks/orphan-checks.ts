import type { Database } from '../create-database.js';
import type { OrphanCheck as OrphanCheckModel, Task } from '../generated/client.js';
import type { Statement } from '../statement.js';

/** Finished task whose objects are to be looked at; `round` 0 is the first look, 1 the second, an hour later. */
export interface OrphanCheck extends Readonly<Pick<OrphanCheckModel, 'taskId' | 'round' | 'dueAt'>> {
  /** The id of the request that made the task. */
  readonly requestId: Task['requestId'];
  readonly status: 'completed' | 'failed';
  /** Keys of the stored images, none of an erased task; all other objects of the task are orphans. */
  readonly outputKeys: readonly string[];
}

// Taking a check postpones it by a minute: when that worker dies, another one finds it again.
const TAKE_ORPHAN_CHECKS: Statement = {
  name: 'take-orphan-checks',
  text: `
WITH due AS MATERIALIZED (
  SELECT task_id FROM orphan_checks WHERE due_at <= now() ORDER BY due_at LIMIT $1::int FOR UPDATE SKIP LOCKED)
UPDATE orphan_checks c SET due_at = now() + interval '1 minute'
  FROM due JOIN tasks t ON t.id = due.task_id
 WHERE c.task_id = due.task_id AND t.status <> 'pending'
RETURNING c.task_id AS "taskId", t.request_id AS "requestId", c.round, c.due_at AS "dueAt", t.status,
  ARRAY(SELECT o.key FROM task_outputs o WHERE o.task_id = t.id AND t.erased_at IS NULL) AS "outputKeys"`,
};

/** Takes up to `limit` due looks at the objects of finished tasks; several workers never get the same one. */
export async function takeOrphanChecks(
  db: Pick<Database, 'run'>,
  { limit }: { readonly limit: number },
): Promise<OrphanCheck[]> {
  return db.run<OrphanCheck>(TAKE_ORPHAN_CHECKS, [limit]);
}

const PUT_OFF: Statement = {
  name: 'put-off-orphan-check',
  text: `
UPDATE orphan_checks SET round = 1, due_at = now() + interval '1 hour' WHERE task_id = $1 AND round = 0 AND due_at = $2`,
};
const FORGET: Statement = {
  name: 'forget-orphan-check',
  text: 'DELETE FROM orphan_checks WHERE task_id = $1 AND round > 0 AND due_at = $2',
};

/**
 * Ends a look at a task's objects: after the first one another is due an hour later, for what a slow worker may still write. A
 * check that was asked for anew since it was taken stays due.
 */
export async function finishOrphanCheck(
  db: Pick<Database, 'run'>,
  { taskId, round, dueAt }: Pick<OrphanCheck, 'taskId' | 'round' | 'dueAt'>,
): Promise<void> {
  await db.run(round === 0 ? PUT_OFF : FORGET, [taskId, dueAt]);
}
