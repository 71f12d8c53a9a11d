import type { Database } from '../create-database.js';
import { inputRows, isInput, type Statement } from '../statement.js';

/**
 * Condition on a task `t` and an input row `i` under which an attempt may change the task. The task is open, and no
 * later attempt has claimed it.
 */
export const FENCE = "t.status = 'pending' AND t.attempt = i.attempt";

const EXTEND_LEASE: Statement = {
  name: 'extend-lease',
  text: `
WITH ${inputRows('id text, attempt int, lease float8')}
UPDATE tasks t SET lease_until = now() + make_interval(secs => i.lease / 1000) FROM input i
 WHERE ${isInput('t.id', 'id')} AND ${FENCE} AND t.phase = 'running'
RETURNING t.id, i.place`,
  batch: { distinct: 'id' },
};

/** Renews the lease of an attempt; false when the task has ended or belongs to another attempt. */
export async function extendLease(
  db: Pick<Database, 'run'>,
  {
    taskId,
    attempt,
    leaseMs,
  }: { readonly taskId: string; readonly attempt: number; readonly leaseMs: number },
): Promise<boolean> {
  return (await db.run(EXTEND_LEASE, [{ id: taskId, attempt, lease: leaseMs }])).length > 0;
}
