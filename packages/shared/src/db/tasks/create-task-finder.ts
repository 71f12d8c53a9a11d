import { createMicroBatch } from '../../batching/index.js';
import type { TaskStatus, TaskType } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import { isConnectionTrouble } from '../is-connection-trouble.js';
import type { Statement } from '../statement.js';

/** What is shown of a task. Money in micro-dollars. */
export interface ShownTask {
  readonly id: string;
  readonly accountId: string;
  readonly status: TaskStatus;
  readonly model: string;
  readonly type: TaskType;
  readonly costMicros: bigint;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
  /** In index order. */
  readonly outputKeys: readonly string[];
}

/** Finds a task of one account; another account's task is as unknown as one that does not exist. */
export type FindShownTask = (id: string, accountId: string) => Promise<ShownTask | null>;

const FIND_SHOWN_TASKS: Statement = {
  name: 'find-shown-tasks',
  text: `
SELECT t.id, t.account_id AS "accountId", t.status, t.model, t.type, t.cost_micros AS "costMicros", t.error,
       t.created_at AS "createdAt", t.started_at AS "startedAt", t.completed_at AS "completedAt",
       ARRAY(SELECT o.key FROM task_outputs o WHERE o.task_id = t.id ORDER BY o.index) AS "outputKeys"
  FROM tasks t WHERE t.id = ANY($1::text[])`,
};
const MAX_ITEMS = 100;
const LANES = 3;

/**
 * Makes the look-up of single tasks. Those who ask while a statement is running share the next one, never the one under
 * way, which may be older than their question.
 */
export function createTaskFinder(db: Pick<Database, 'run'>): FindShownTask {
  const batch = createMicroBatch<string, ShownTask | undefined>({
    run: async (ids) => {
      const rows = await db.run<ShownTask>(FIND_SHOWN_TASKS, [[...new Set(ids)]]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id));
    },
    maxItems: MAX_ITEMS,
    lanes: LANES,
    isShared: isConnectionTrouble,
  });
  return async (id, accountId) => {
    const task = await batch.add(id);
    return task?.accountId === accountId ? task : null;
  };
}
