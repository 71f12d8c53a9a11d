import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { CallRow } from './call-row.js';

const FIND_CALLS: Statement = {
  name: 'find-calls',
  text: `
SELECT id, attempt, provider, model, slots, provider_request_id AS "requestId", key_fingerprint AS "keyFingerprint",
       state, detail, COALESCE(cost_micros, 0) AS "costMicros"
  FROM provider_calls WHERE task_id = $1 ORDER BY created_at, id`,
};

/** All calls that were ever made for a task, the oldest first. */
export async function findCalls(db: Pick<Database, 'run'>, taskId: string): Promise<CallRow[]> {
  return db.run<CallRow>(FIND_CALLS, [taskId]);
}
