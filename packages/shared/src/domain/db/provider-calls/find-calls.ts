import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { CallRow } from './call-row.js';

/** The columns of a CallRow; the table must be named `c` in the statement. */
export const CALL_COLUMNS = `
  c.id, c.attempt, c.provider, c.model, c.slots, c.provider_request_id AS "requestId", c.job_handle AS "jobHandle",
  c.key_fingerprint AS "keyFingerprint", c.state, c.detail, COALESCE(c.cost_micros, 0) AS "costMicros", c.created_at AS "createdAt"`;

const FIND_CALLS: Statement = {
  name: 'find-calls',
  text: `
SELECT ${CALL_COLUMNS} FROM provider_calls c WHERE c.task_id = $1 ORDER BY c.created_at, c.id`,
};

/** All calls that were ever made for a task, the oldest first. */
export async function findCalls(db: Pick<Database, 'run'>, taskId: string): Promise<CallRow[]> {
  return db.run<CallRow>(FIND_CALLS, [taskId]);
}
