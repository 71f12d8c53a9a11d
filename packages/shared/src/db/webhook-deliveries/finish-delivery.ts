import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** How an attempt ended: done, given up, or to be tried again after some milliseconds. */
export type DeliveryEnd =
  | { readonly state: 'delivered' | 'failed' }
  | { readonly state: 'pending'; readonly delayMs: number };

/** The outcome of one attempt. */
export interface DeliveryOutcome {
  readonly id: string;
  readonly attempt: number;
  readonly end: DeliveryEnd;
  /** HTTP status of the answer; null when there was none. */
  readonly status: number | null;
  /** What went wrong, in generic words; null when nothing did. */
  readonly error: string | null;
}

const FINISH_DELIVERY: Statement = {
  name: 'finish-delivery',
  text: `
WITH delivery AS (
  UPDATE webhook_deliveries
     SET state = $3, lease_until = NULL, last_status = $5::int, last_error = $6,
         next_attempt_at = CASE $3 WHEN 'pending' THEN now() + $4::float8 * interval '1 millisecond' END,
         delivered_at = CASE $3 WHEN 'delivered' THEN now() END
   WHERE id = $1 AND state = 'sending' AND attempt = $2
  RETURNING id, attempt),
kept AS (
  INSERT INTO webhook_attempts (delivery_id, attempt, status, error) SELECT id, attempt, $5::int, $6 FROM delivery)
SELECT id FROM delivery`,
};

/** Writes the outcome of an attempt, on the delivery and into its history; false when the attempt was overtaken, and then nothing has changed. */
export async function finishDelivery(
  db: Database,
  { id, attempt, end, status, error }: DeliveryOutcome,
): Promise<boolean> {
  const delayMs = end.state === 'pending' ? end.delayMs : null;
  const rows = await db.run(FINISH_DELIVERY, [id, attempt, end.state, delayMs, status, error]);
  return rows.length > 0;
}
