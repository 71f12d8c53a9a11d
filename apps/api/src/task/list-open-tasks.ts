import { type Account, BY_TIME, type Database, type Statement, type Task } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { OpenTaskItem } from '@image-gateway/shared/task/schema';
import { IS_STUCK, selectStuckTaskIds } from './is-stuck.js';

type TaskColumn =
  | 'id'
  | 'accountId'
  | 'model'
  | 'phase'
  | 'tries'
  | 'attempt'
  | 'storedCount'
  | 'numOutputs'
  | 'workerId'
  | 'holdMicros'
  | 'createdAt'
  | 'dueAt'
  | 'leaseUntil'
  | 'deadlineAt';

interface Row extends Readonly<Pick<Task, TaskColumn> & Pick<Account, 'email'>> {
  readonly isStuck: boolean;
  readonly isCanceling: boolean;
}

const COLUMNS = `
       t.id, t.account_id AS "accountId", a.email, t.model, t.phase, t.tries, t.attempt, t.stored_count AS "storedCount",
       t.num_outputs AS "numOutputs", t.worker_id AS "workerId", t.hold_micros AS "holdMicros",
       t.created_at AS "createdAt", t.due_at AS "dueAt", t.lease_until AS "leaseUntil", t.deadline_at AS "deadlineAt",
       t.is_stuck AS "isStuck", t.cancel_requested_at IS NOT NULL AS "isCanceling"`;

const LIST_OPEN_TASKS: Statement = {
  name: 'dashboard-open-tasks',
  text: `
SELECT ${COLUMNS}
  FROM (SELECT *, ${IS_STUCK} AS is_stuck FROM tasks WHERE status = 'pending' AND ${BY_TIME} ORDER BY deadline_at LIMIT $1::int) t
  JOIN accounts a ON a.id = t.account_id
 ORDER BY t.deadline_at, t.id`,
};

const LIST_STUCK_TASKS: Statement = {
  name: 'dashboard-stuck-tasks',
  text: `
SELECT ${COLUMNS}
  FROM (SELECT *, true AS is_stuck FROM tasks WHERE status = 'pending' AND id = ANY (ARRAY(${selectStuckTaskIds('$1::int')}))) t
  JOIN accounts a ON a.id = t.account_id
 ORDER BY t.deadline_at, t.id LIMIT $1::int`,
};

/** Lists the pending tasks of all accounts, or the stuck ones, by deadline. Prompts are private to customers. */
export async function listOpenTasks(
  db: Pick<Database, 'run'>,
  { onlyStuck, limit }: { readonly onlyStuck: boolean; readonly limit: number },
): Promise<OpenTaskItem[]> {
  const tasks = await db.run<Row>(onlyStuck ? LIST_STUCK_TASKS : LIST_OPEN_TASKS, [limit]);
  return tasks.map((task) => ({
    id: task.id,
    account_id: task.accountId,
    email: task.email,
    model: task.model,
    phase: task.phase,
    tries: task.tries,
    attempt: task.attempt,
    stored: task.storedCount,
    asked: task.numOutputs,
    worker: task.workerId,
    held: formatDollars(task.holdMicros),
    created_at: task.createdAt.toISOString(),
    due_at: task.dueAt.toISOString(),
    lease_until: task.leaseUntil?.toISOString() ?? null,
    deadline_at: task.deadlineAt.toISOString(),
    is_stuck: task.isStuck,
    is_canceling: task.isCanceling,
  }));
}
