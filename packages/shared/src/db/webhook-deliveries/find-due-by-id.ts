import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { DUE_COLUMNS, type DueDelivery } from './due-delivery.js';

const FIND_DUE_BY_ID: Statement = {
  name: 'find-due-deliveries-by-id',
  text: `
SELECT ${DUE_COLUMNS} FROM webhook_deliveries d
 WHERE d.id = ANY($1::text[]) AND d.state = 'pending' AND d.next_attempt_at <= now()`,
};

/** Finds which of some deliveries are due. */
export async function findDueById(db: Database, ids: readonly string[]): Promise<DueDelivery[]> {
  return ids.length === 0 ? [] : db.run<DueDelivery>(FIND_DUE_BY_ID, [ids]);
}
