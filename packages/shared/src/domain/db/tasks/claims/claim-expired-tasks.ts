import type { Database } from '../../create-database.js';
import type { Statement } from '../../statement.js';
import { BY_TIME } from '../open-tasks.js';
import { CLAIMED_COLUMNS, type ClaimedTask, type ClaimTerms, claimSet } from './claimed-task.js';

const CLAIM_EXPIRED_TASKS: Statement = {
  name: 'claim-expired-tasks',
  text: `
WITH expired AS MATERIALIZED (
  SELECT id FROM tasks
   WHERE status = 'pending' AND phase = 'running' AND ${BY_TIME} AND lease_until < now()
     AND tries + 1 < $3::int AND deadline_at > now()
   ORDER BY lease_until LIMIT $4::int FOR UPDATE SKIP LOCKED)
UPDATE tasks t SET ${claimSet()} FROM expired WHERE t.id = expired.id
RETURNING ${CLAIMED_COLUMNS}`,
};

/** Claims up to `limit` tasks whose worker died or hung, each at the cost of a try; several workers never get the same one. */
export async function claimExpiredTasks(
  db: Pick<Database, 'run'>,
  { workerId, leaseMs, maxTries }: ClaimTerms,
  { limit }: { readonly limit: number },
): Promise<ClaimedTask[]> {
  return db.run<ClaimedTask>(CLAIM_EXPIRED_TASKS, [workerId, leaseMs, maxTries, limit]);
}
