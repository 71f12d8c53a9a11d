import { createMicroBatch } from '../../../runtime/concurrency/index.js';
import type { Database } from '../create-database.js';
import { isConnectionError } from '../database-error.js';
import type { Statement } from '../statement.js';
import { SHOWN_COLUMNS, type ShownColumns, type TaskRow } from './task-row.js';

/** Task as its owner sees it, its account and the key that submitted it. */
export type ShownTask = ShownColumns & Pick<TaskRow, 'accountId' | 'apiKeyId'>;

/** Finds a task of one account; another account's task is as unknown as one that does not exist. */
export type FindShownTask = (id: string, accountId: string) => Promise<ShownTask | null>;

const FIND_SHOWN_TASKS: Statement = {
  name: 'find-shown-tasks',
  text: `
SELECT ${SHOWN_COLUMNS}, t.account_id AS "accountId", t.api_key_id AS "apiKeyId"
  FROM tasks t WHERE t.id = ANY($1::text[]) AND t.deleted_at IS NULL`,
};

/** Returns the tasks with these ids that are not deleted, whosever they are, in any order. */
export function findShownTasks(db: Pick<Database, 'run'>, ids: readonly string[]): Promise<ShownTask[]> {
  return db.run<ShownTask>(FIND_SHOWN_TASKS, [ids]);
}

const MAX_ITEMS = 100;
const CONCURRENCY = 3;

/**
 * Makes the lookup of single tasks. Those who ask while a statement is running share the next one, never the one under
 * way, which may be older than their question.
 */
export function createTaskFinder(db: Pick<Database, 'run'>): FindShownTask {
  const batch = createMicroBatch<string, ShownTask | undefined>({
    run: async (ids) => {
      const rows = await findShownTasks(db, [...new Set(ids)]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id));
    },
    maxItems: MAX_ITEMS,
    concurrency: CONCURRENCY,
    isShared: isConnectionError,
  });
  return async (id, accountId) => {
    const task = await batch.add(id);
    return task?.accountId === accountId ? task : null;
  };
}
