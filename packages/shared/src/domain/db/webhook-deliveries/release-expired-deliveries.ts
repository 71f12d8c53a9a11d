import type { Database } from '../create-database.js';
import type { Task, WebhookDelivery } from '../generated/client.js';
import type { Statement } from '../statement.js';

const RELEASE_EXPIRED_DELIVERIES: Statement = {
  name: 'release-expired-deliveries',
  text: `
WITH expired AS (
  SELECT id FROM webhook_deliveries WHERE state = 'sending' AND lease_until < now()
   ORDER BY lease_until LIMIT 500 FOR UPDATE SKIP LOCKED)
UPDATE webhook_deliveries d
   SET state = 'pending', next_attempt_at = now(), lease_until = NULL, last_status = NULL, last_error = 'interrupted'
  FROM expired, tasks t WHERE d.id = expired.id AND t.id = d.task_id
RETURNING d.id, d.task_id AS "taskId", t.request_id AS "requestId", d.attempt`,
};

/** A delivery whose sender died or hung before it could say how the attempt ended. */
export type ReleasedDelivery = Readonly<
  Pick<WebhookDelivery, 'id' | 'taskId' | 'attempt'> & Pick<Task, 'requestId'>
>;

/** Makes deliveries due again whose sender died or hung before it could say how the attempt ended, and gives them. */
export async function releaseExpiredDeliveries(db: Database): Promise<ReleasedDelivery[]> {
  return db.run<ReleasedDelivery>(RELEASE_EXPIRED_DELIVERIES, []);
}
