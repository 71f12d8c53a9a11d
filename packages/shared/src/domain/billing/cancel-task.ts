import { REASONS } from '../contract/index.js';
import type { Statement, Task } from '../db/index.js';
import { auditValues } from './audit-values.js';
import { type SettleDeps, settleTask } from './settle-task.js';

/** Task that shall end. */
export interface CancelInput {
  readonly taskId: string;
  /** Owner of the task; null for operators, who cancel tasks of all accounts. */
  readonly accountId: string | null;
  /** Author, whom the audit log names by the statement that requests the end; without one there is no entry. */
  readonly actor?: string;
}

type TaskToCancel = Readonly<Pick<Task, 'attempt' | 'callCount'>> & {
  readonly isPending: boolean;
  readonly hasOpenCall: boolean;
  /** An earlier attempt may have left images without rows, which the next one adopts. */
  readonly mayHaveOrphans: boolean;
};

const REQUEST_CANCEL: Statement = {
  name: 'request-cancel',
  text: `
WITH task AS (
  UPDATE tasks t SET cancel_requested_at = now()
   WHERE t.id = $1 AND ($2::text IS NULL OR t.account_id = $2) AND t.status = 'pending' AND t.cancel_requested_at IS NULL
  RETURNING t.id)
INSERT INTO audit_entries (id, action, subject, detail)
SELECT $3, 'task.cancel', id, $4::jsonb FROM task WHERE $3::text IS NOT NULL`,
};

// A statement of its own: it has to see every call that started before the request.
const FIND_CANCELED: Statement = {
  name: 'find-canceled',
  text: `
SELECT t.attempt, t.call_count AS "callCount", t.status = 'pending' AS "isPending",
       EXISTS (SELECT 1 FROM provider_calls c WHERE c.task_id = t.id AND c.state IN ('started', 'submitted')) AS "hasOpenCall",
       t.tidy_attempt < CASE WHEN t.phase = 'running' AND t.lease_until >= now() THEN t.attempt - 1 ELSE t.attempt END AS "mayHaveOrphans"
  FROM tasks t WHERE t.id = $1 AND ($2::text IS NULL OR t.account_id = $2)`,
};

/**
 * Requests the end of a task: from now on no call starts. Without an open call the task ends at once. Otherwise it stays pending
 * until its calls have ended, since their images are stored and charged. So does a task of which an attempt died: the next attempt
 * adopts the images that it left, and ends the task. Returns `unknown` for a task that is not the account's.
 * Safe to repeat; an ended task stays as it is.
 */
export async function cancelTask(
  deps: SettleDeps,
  { taskId, accountId, actor }: CancelInput,
): Promise<'ended' | 'pending' | 'unknown'> {
  await deps.db.run(REQUEST_CANCEL, [taskId, accountId, ...auditValues(deps.newId, actor)]);
  for (;;) {
    const [task] = await deps.db.run<TaskToCancel>(FIND_CANCELED, [taskId, accountId]);
    if (!task) {
      return 'unknown';
    }
    if (!task.isPending) {
      return 'ended';
    }
    if (task.hasOpenCall || task.mayHaveOrphans) {
      return 'pending';
    }
    // It ends with the calls that were seen alone: after another one the next round looks again.
    const { attempt, callCount } = task;
    await settleTask(deps, { taskId, attempt, callCount, reason: REASONS.canceled });
  }
}
