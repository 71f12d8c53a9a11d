import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const EXTEND_LEASE: Statement = {
  name: 'extend-lease',
  text: `
UPDATE tasks SET lease_until = now() + make_interval(secs => $3::float8 / 1000)
 WHERE id = $1 AND status = 'pending' AND phase = 'running' AND attempt = $2
RETURNING id`,
};

/** Renews the lease of an attempt; false when the task has ended or belongs to another attempt. */
export async function extendLease(
  db: Pick<Database, 'run'>,
  input: { readonly taskId: string; readonly attempt: number; readonly leaseMs: number },
): Promise<boolean> {
  const rows = await db.run(EXTEND_LEASE, [input.taskId, input.attempt, input.leaseMs]);
  return rows.length > 0;
}
