import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { CLAIM_SET, CLAIMED_COLUMNS, type ClaimedTask, type ClaimTerms } from './claimed-task.js';

const CLAIM_TASK: Statement = {
  name: 'claim-task',
  text: `
UPDATE tasks t SET ${CLAIM_SET}
 WHERE t.id = $3 AND t.status = 'pending' AND t.deadline_at > now()
   AND ((t.phase = 'queued' AND t.due_at <= now() AND t.tries < $4::int)
     OR (t.phase = 'running' AND t.lease_until < now() AND t.tries + 1 < $4::int))
RETURNING ${CLAIMED_COLUMNS}`,
};

/** Claims one task: a due one, or one whose lease ran out; null when there is nothing to claim, which is no fault. */
export async function claimTask(
  db: Pick<Database, 'run'>,
  { workerId, leaseMs, maxTries }: ClaimTerms,
  taskId: string,
): Promise<ClaimedTask | null> {
  const [task] = await db.run<ClaimedTask>(CLAIM_TASK, [workerId, leaseMs, taskId, maxTries]);
  return task ?? null;
}
