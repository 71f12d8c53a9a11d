import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { CallRow } from './call-row.js';
import { CALL_COLUMNS } from './find-calls.js';

/** An open call of a task that has ended. */
export interface AbandonedCall extends CallRow {
  readonly taskId: string;
  readonly requestTraceId: string;
  /** Milliseconds since the task ended. */
  readonly endedMsAgo: number;
}

const FIND_ABANDONED_CALLS: Statement = {
  name: 'find-abandoned-calls',
  text: `
SELECT ${CALL_COLUMNS}, c.task_id AS "taskId", t.request_id AS "requestTraceId",
       (EXTRACT(EPOCH FROM now() - t.completed_at) * 1000)::float8 AS "endedMsAgo"
  FROM provider_calls c JOIN tasks t ON t.id = c.task_id
 WHERE c.state IN ('started', 'submitted') AND t.status <> 'pending'
 ORDER BY t.completed_at LIMIT $1::int`,
};

/** Finds calls that nobody waits for any more because their task has ended. */
export async function findAbandonedCalls(
  db: Pick<Database, 'run'>,
  { limit }: { readonly limit: number },
): Promise<AbandonedCall[]> {
  return db.run<AbandonedCall>(FIND_ABANDONED_CALLS, [limit]);
}
