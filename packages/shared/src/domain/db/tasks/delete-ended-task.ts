import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { ERASED_VALUES, eraseParts } from './erase-task.js';

/** Task that shall be gone. */
export interface TaskToDelete {
  readonly taskId: string;
  /** Owner of the task; null for operators, who delete tasks of all accounts. */
  readonly accountId: string | null;
  /** Written into the audit log as `task.delete` by the statement that deletes. */
  readonly audit?: { readonly id: string; readonly detail: object };
}

/** Outcome of a deletion: `unknown` for a task that is not the account's or was deleted before. */
export type TaskDeletion = 'deleted' | 'pending' | 'unknown';

// The lock of the account comes first, as in the statements that add and end tasks: its counters change under it.
const DELETE_TASK: Statement = {
  name: 'delete-task',
  text: `
WITH locked AS MATERIALIZED (
  SELECT a.id FROM accounts a
   WHERE a.id = (SELECT t.account_id FROM tasks t WHERE t.id = $1 AND ($2::text IS NULL OR t.account_id = $2)) FOR NO KEY UPDATE),
deleted AS (
  UPDATE tasks t SET deleted_at = now(), ${ERASED_VALUES}
    FROM locked WHERE t.id = $1 AND t.account_id = locked.id AND t.status <> 'pending' AND t.deleted_at IS NULL
  RETURNING t.id, t.account_id, t.created_at, t.model, t.type, t.status),
account AS (UPDATE accounts a SET erased_count = a.erased_count + 1 FROM deleted d WHERE a.id = d.account_id),
counts AS (
  UPDATE task_counts c SET tasks = c.tasks - 1, completed = c.completed - (d.status = 'completed')::int,
                           failed = c.failed - (d.status = 'failed')::int
    FROM deleted d
   WHERE c.account_id = d.account_id AND c.model = d.model AND c.type = d.type
     AND c.starts_at = (SELECT max(k.starts_at) FROM task_counts k WHERE k.account_id = d.account_id AND k.starts_at <= d.created_at)),
${eraseParts('deleted')},
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $3, 'task.delete', id, $4::jsonb FROM deleted WHERE $3::text IS NOT NULL)
SELECT id FROM deleted`,
};

const FIND_DELETABLE: Statement = {
  name: 'find-deletable-task',
  text: `
SELECT t.status = 'pending' AS "isPending", t.deleted_at IS NOT NULL AS "isDeleted"
  FROM tasks t WHERE t.id = $1 AND ($2::text IS NULL OR t.account_id = $2)`,
};

/**
 * Deletes a finished task: empties its texts and input URLs, takes it out of all lists, and has its objects removed. The rows
 * of money stay.
 */
export async function deleteEndedTask(
  db: Pick<Database, 'run'>,
  { taskId, accountId, audit }: TaskToDelete,
): Promise<TaskDeletion> {
  const entry = audit ? [audit.id, JSON.stringify(audit.detail)] : [null, null];
  // A task may end between the two statements, once.
  for (let round = 0; round < 2; round++) {
    if ((await db.run(DELETE_TASK, [taskId, accountId, ...entry])).length > 0) {
      return 'deleted';
    }
    const [task] = await db.run<{ readonly isPending: boolean; readonly isDeleted: boolean }>(
      FIND_DELETABLE,
      [taskId, accountId],
    );
    if (!task || task.isDeleted) {
      return 'unknown';
    }
    if (task.isPending) {
      return 'pending';
    }
  }
  return 'pending';
}
