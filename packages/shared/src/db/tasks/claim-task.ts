import { askedAs } from '../asked.js';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { CLAIMED_COLUMNS, type ClaimedTask, type ClaimTerms, claimSet } from './claimed-task.js';

const isClaimable = (maxTries: string, barred: string): string => `
   t.status = 'pending' AND t.deadline_at > now() AND t.account_id <> ALL(${barred}::text[])
   AND ((t.phase = 'queued' AND t.due_at <= now() AND t.tries < ${maxTries}::int)
     OR (t.phase = 'running' AND t.lease_until < now() AND t.tries + 1 < ${maxTries}::int))`;

const CLAIM_TASK: Statement = {
  name: 'claim-task',
  text: `
UPDATE tasks t SET ${claimSet()} WHERE t.id = $3 AND ${isClaimable('$4', '$5')}
RETURNING ${CLAIMED_COLUMNS}`,
  many: {
    name: 'claim-tasks',
    fields: ['worker', 'lease', 'id', 'max', 'barred'],
    distinct: 'id',
    text: `
WITH ${askedAs('worker text, lease float8, id text, max int, barred text[]')}
UPDATE tasks t SET ${claimSet('a.worker', 'a.lease')} FROM asked a
 WHERE t.id = a.id AND t.id = ANY (ARRAY(SELECT id FROM asked)) AND ${isClaimable('a.max', 'a.barred')}
RETURNING ${CLAIMED_COLUMNS}, a.place`,
  },
};

/** Claims one task: a due one, or one whose lease ran out; null when there is nothing to claim, which is no fault, or when its account is one of the barred. */
export async function claimTask(
  db: Pick<Database, 'run'>,
  { workerId, leaseMs, maxTries }: ClaimTerms,
  taskId: string,
  barred: readonly string[] = [],
): Promise<ClaimedTask | null> {
  const [task] = await db.run<ClaimedTask>(CLAIM_TASK, [workerId, leaseMs, taskId, maxTries, barred]);
  return task ?? null;
}
