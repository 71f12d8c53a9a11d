import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { DUE_COLUMNS, type DueDelivery } from './due-delivery.js';

const FIND_DUE_OLDEST: Statement = {
  name: 'find-due-deliveries-oldest',
  text: `
SELECT ${DUE_COLUMNS} FROM webhook_deliveries d
 WHERE d.state = 'pending' AND d.next_attempt_at <= now() ORDER BY d.next_attempt_at LIMIT $1::int`,
};

/** Finds the deliveries that have been due for longest, whoever receives them. */
export async function findDueOldest(db: Database, limit: number): Promise<DueDelivery[]> {
  return db.run<DueDelivery>(FIND_DUE_OLDEST, [limit]);
}
