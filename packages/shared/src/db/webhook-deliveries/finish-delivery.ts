import { askedAs } from '../asked.js';
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
  many: {
    name: 'finish-deliveries',
    fields: ['id', 'attempt', 'state', 'delay', 'status', 'error'],
    distinct: 'id',
    text: `
WITH ${askedAs('id text, attempt int, state text, delay float8, status int, error text')},
delivery AS (
  UPDATE webhook_deliveries d
     SET state = a.state, lease_until = NULL, last_status = a.status, last_error = a.error,
         next_attempt_at = CASE a.state WHEN 'pending' THEN now() + a.delay * interval '1 millisecond' END,
         delivered_at = CASE a.state WHEN 'delivered' THEN now() END
    FROM asked a
   WHERE d.id = a.id AND d.id = ANY (ARRAY(SELECT id FROM asked)) AND d.state = 'sending' AND d.attempt = a.attempt
  RETURNING d.id, d.attempt, a.status, a.error, a.place),
kept AS (
  INSERT INTO webhook_attempts (delivery_id, attempt, status, error) SELECT id, attempt, status, error FROM delivery)
SELECT id, place FROM delivery`,
  },
};

/** Writes the outcome of an attempt, on the delivery and into its history; false when the attempt was overtaken, and then nothing has changed. */
export async function finishDelivery(
  db: Pick<Database, 'run'>,
  { id, attempt, end, status, error }: DeliveryOutcome,
): Promise<boolean> {
  const delayMs = end.state === 'pending' ? end.delayMs : null;
  const rows = await db.run(FINISH_DELIVERY, [id, attempt, end.state, delayMs, status, error]);
  return rows.length > 0;
}
