import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { CLAIMED_COLUMNS, type ClaimedTask, type ClaimTerms, claimSet } from './claimed-task.js';

const CLAIM_OVERDUE_TASKS: Statement = {
  name: 'claim-overdue-tasks',
  text: `
WITH due AS MATERIALIZED (
  SELECT id FROM tasks
   WHERE status = 'pending' AND phase = 'queued' AND due_at <= now() - make_interval(secs => $5::float8 / 1000)
     AND tries < $3::int AND deadline_at > now()
   ORDER BY due_at LIMIT $4::int FOR UPDATE SKIP LOCKED)
UPDATE tasks t SET ${claimSet()} FROM due WHERE t.id = due.id
RETURNING ${CLAIMED_COLUMNS}`,
};

/** Claims up to `limit` queued tasks that have been due for at least `overdueMs`, the oldest first; several workers never get the same one. */
export async function claimOverdueTasks(
  db: Pick<Database, 'run'>,
  { workerId, leaseMs, maxTries }: ClaimTerms,
  { limit, overdueMs }: { readonly limit: number; readonly overdueMs: number },
): Promise<ClaimedTask[]> {
  return db.run<ClaimedTask>(CLAIM_OVERDUE_TASKS, [workerId, leaseMs, maxTries, limit, overdueMs]);
}
