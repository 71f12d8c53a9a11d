import { askedAs } from '../asked.js';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const EXTEND_LEASE: Statement = {
  name: 'extend-lease',
  text: `
UPDATE tasks SET lease_until = now() + make_interval(secs => $3::float8 / 1000)
 WHERE id = $1 AND status = 'pending' AND phase = 'running' AND attempt = $2
RETURNING id`,
  many: {
    name: 'extend-leases',
    fields: ['id', 'attempt', 'lease'],
    distinct: 'id',
    text: `
WITH ${askedAs('id text, attempt int, lease float8')}
UPDATE tasks t SET lease_until = now() + make_interval(secs => a.lease / 1000) FROM asked a
 WHERE t.id = a.id AND t.id = ANY (ARRAY(SELECT id FROM asked)) AND t.status = 'pending' AND t.phase = 'running' AND t.attempt = a.attempt
RETURNING t.id, a.place`,
  },
};

/** Renews the lease of an attempt; false when the task has ended or belongs to another attempt. */
export async function extendLease(
  db: Pick<Database, 'run'>,
  input: { readonly taskId: string; readonly attempt: number; readonly leaseMs: number },
): Promise<boolean> {
  const rows = await db.run(EXTEND_LEASE, [input.taskId, input.attempt, input.leaseMs]);
  return rows.length > 0;
}
