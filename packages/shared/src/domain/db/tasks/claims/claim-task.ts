import type { Database } from '../../create-database.js';
import { inputRows, isInput, type Statement } from '../../statement.js';
import { CLAIMED_COLUMNS, type ClaimedTask, type ClaimTerms, claimSet } from './claimed-task.js';

/** Which task may be claimed. */
export interface ClaimOptions {
  /** Accounts that get nothing. */
  readonly blocked?: readonly string[];
  /** Attempt after which the task may be claimed before it is due. */
  readonly afterAttempt?: number;
}

const CLAIM_TASK: Statement = {
  name: 'claim-task',
  text: `
WITH ${inputRows('worker text, lease float8, id text, max int, blocked text[], after int')}
UPDATE tasks t SET ${claimSet('i.worker', 'i.lease')} FROM input i
 WHERE ${isInput('t.id', 'id')} AND t.status = 'pending' AND t.deadline_at > now() AND t.account_id <> ALL(i.blocked)
   AND ((t.phase = 'queued' AND (t.due_at <= now() OR t.attempt = i.after) AND t.tries < i.max)
     OR (t.phase = 'running' AND t.lease_until < now() AND t.tries + 1 < i.max))
RETURNING ${CLAIMED_COLUMNS}, i.place`,
  batch: { distinct: 'id' },
};

/**
 * Claims one task: a due one, one whose last attempt is `afterAttempt`, or one whose lease ran out. Returns null when there
 * is none, or when its account is one of the blocked.
 */
export async function claimTask(
  db: Pick<Database, 'run'>,
  { workerId, leaseMs, maxTries }: ClaimTerms,
  taskId: string,
  { blocked = [], afterAttempt = -1 }: ClaimOptions = {},
): Promise<ClaimedTask | null> {
  const [task] = await db.run<ClaimedTask>(CLAIM_TASK, [
    { worker: workerId, lease: leaseMs, id: taskId, max: maxTries, blocked, after: afterAttempt },
  ]);
  return task ?? null;
}
