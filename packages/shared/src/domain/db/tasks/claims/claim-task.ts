import type { Database } from '../../create-database.js';
import { inputRows, isInput, type Statement } from '../../statement.js';
import { CLAIMED_COLUMNS, type ClaimedTask, type ClaimTerms, claimSet } from './claimed-task.js';

const CLAIM_TASK: Statement = {
  name: 'claim-task',
  text: `
WITH ${inputRows('worker text, lease float8, id text, max int, barred text[]')}
UPDATE tasks t SET ${claimSet('i.worker', 'i.lease')} FROM input i
 WHERE ${isInput('t.id', 'id')} AND t.status = 'pending' AND t.deadline_at > now() AND t.account_id <> ALL(i.barred)
   AND ((t.phase = 'queued' AND t.due_at <= now() AND t.tries < i.max)
     OR (t.phase = 'running' AND t.lease_until < now() AND t.tries + 1 < i.max))
RETURNING ${CLAIMED_COLUMNS}, i.place`,
  batch: { distinct: 'id' },
};

/**
 * Claims one task: a due one, or one whose lease ran out. Returns null when there is none, or when its account is one
 * of the barred.
 */
export async function claimTask(
  db: Pick<Database, 'run'>,
  { workerId, leaseMs, maxTries }: ClaimTerms,
  taskId: string,
  barred: readonly string[] = [],
): Promise<ClaimedTask | null> {
  const [task] = await db.run<ClaimedTask>(CLAIM_TASK, [
    { worker: workerId, lease: leaseMs, id: taskId, max: maxTries, barred },
  ]);
  return task ?? null;
}
