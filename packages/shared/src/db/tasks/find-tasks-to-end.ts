import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { BY_TIME } from './open-tasks.js';

/** A pending task that nobody will finish any more. */
export interface TaskToEnd {
  readonly id: string;
  readonly attempt: number;
  readonly requestId: string;
}

const FIND_PAST_DEADLINE: Statement = {
  name: 'find-tasks-past-deadline',
  text: `
SELECT id, attempt, request_id AS "requestId" FROM tasks
 WHERE status = 'pending' AND ${BY_TIME} AND deadline_at <= now() ORDER BY deadline_at LIMIT $1::int`,
};

const FIND_OUT_OF_TRIES: Statement = {
  name: 'find-tasks-out-of-tries',
  text: `
(SELECT id, attempt, request_id AS "requestId" FROM tasks
  WHERE status = 'pending' AND phase = 'running' AND ${BY_TIME} AND lease_until < now() AND tries + 1 >= $2::int
  ORDER BY lease_until LIMIT $1::int)
UNION ALL
(SELECT id, attempt, request_id AS "requestId" FROM tasks
  WHERE status = 'pending' AND phase = 'queued' AND ${BY_TIME} AND due_at <= now() AND tries >= $2::int
  ORDER BY due_at LIMIT $1::int)`,
};

/** Finds tasks whose deadline has passed, running ones too. */
export async function findTasksPastDeadline(
  db: Pick<Database, 'run'>,
  { limit }: { readonly limit: number },
): Promise<TaskToEnd[]> {
  return db.run<TaskToEnd>(FIND_PAST_DEADLINE, [limit]);
}

/** Finds tasks whose last lease ran out, and queued ones that have no try left. */
export async function findTasksOutOfTries(
  db: Pick<Database, 'run'>,
  { limit, maxTries }: { readonly limit: number; readonly maxTries: number },
): Promise<TaskToEnd[]> {
  return db.run<TaskToEnd>(FIND_OUT_OF_TRIES, [limit, maxTries]);
}
