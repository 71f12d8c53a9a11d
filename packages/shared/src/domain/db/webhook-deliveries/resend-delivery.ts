import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const RESEND_DELIVERY: Statement = {
  name: 'resend-delivery',
  text: `
WITH delivery AS (
  UPDATE webhook_deliveries SET state = 'pending', next_attempt_at = now(), delivered_at = NULL
   WHERE id = $1 AND state <> 'sending' RETURNING id),
audit AS (INSERT INTO audit_entries (id, action, subject, detail) SELECT $2, 'webhook.resend', id, $3::jsonb FROM delivery)
SELECT id FROM delivery`,
};

/** Makes a delivery due now, whatever became of it before; false when it does not exist or is being sent at this moment. */
export async function resendDelivery(
  db: Database,
  { id, auditId, actor }: { readonly id: string; readonly auditId: string; readonly actor: string },
): Promise<boolean> {
  const rows = await db.run(RESEND_DELIVERY, [id, auditId, JSON.stringify({ actor })]);
  return rows.length > 0;
}
