import type { Database } from '../create-database.js';
import type { Task } from '../generated/client.js';
import type { Statement } from '../statement.js';
import { BY_TIME } from './open-tasks.js';

const FIND_OVERDUE_TASKS: Statement = {
  name: 'find-overdue-tasks',
  text: `
SELECT id, attempt, request_id AS "requestId", (EXTRACT(EPOCH FROM now() - due_at) * 1000)::float8 AS "overdueMs"
  FROM tasks
 WHERE status = 'pending' AND phase = 'queued' AND ${BY_TIME} AND due_at <= now() - make_interval(secs => $1::float8 / 1000)
 ORDER BY due_at LIMIT $2::int`,
};

/** Queued task that no worker has claimed for a while. */
export interface OverdueTask extends Readonly<Pick<Task, 'id' | 'attempt' | 'requestId'>> {
  readonly overdueMs: number;
}

/** Finds queued tasks that have been due for at least `overdueMs`, the oldest first: their hints may be lost. */
export async function findOverdueTasks(
  db: Pick<Database, 'run'>,
  { overdueMs, limit }: { readonly overdueMs: number; readonly limit: number },
): Promise<OverdueTask[]> {
  return db.run<OverdueTask>(FIND_OVERDUE_TASKS, [overdueMs, limit]);
}
