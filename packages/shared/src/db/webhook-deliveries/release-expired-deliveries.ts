import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const RELEASE_EXPIRED_DELIVERIES: Statement = {
  name: 'release-expired-deliveries',
  text: `
WITH expired AS (
  SELECT id FROM webhook_deliveries WHERE state = 'sending' AND lease_until < now()
   ORDER BY lease_until LIMIT 500 FOR UPDATE SKIP LOCKED)
UPDATE webhook_deliveries d
   SET state = 'pending', next_attempt_at = now(), lease_until = NULL, last_status = NULL, last_error = 'interrupted'
  FROM expired WHERE d.id = expired.id
RETURNING d.id`,
};

/** Makes deliveries due again whose sender died or hung before it could say how the attempt ended; gives their ids. */
export async function releaseExpiredDeliveries(db: Database): Promise<string[]> {
  const rows = await db.run<{ id: string }>(RELEASE_EXPIRED_DELIVERIES, []);
  return rows.map(({ id }) => id);
}
