import type { Database } from '../create-database.js';
import { inputRows, isInput, type Statement } from '../statement.js';

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
  /** Error in generic words; null on success. */
  readonly error: string | null;
}

const FINISH_DELIVERY: Statement = {
  name: 'finish-delivery',
  text: `
WITH ${inputRows('id text, attempt int, state text, delay float8, status int, error text')},
delivery AS (
  UPDATE webhook_deliveries d
     SET state = i.state, lease_until = NULL, last_status = i.status, last_error = i.error,
         next_attempt_at = CASE i.state WHEN 'pending' THEN now() + i.delay * interval '1 millisecond' END,
         delivered_at = CASE i.state WHEN 'delivered' THEN now() END
    FROM input i WHERE ${isInput('d.id', 'id')} AND d.state = 'sending' AND d.attempt = i.attempt
  RETURNING d.id, d.attempt, i.status, i.error, i.place),
kept AS (
  INSERT INTO webhook_attempts (delivery_id, attempt, status, error) SELECT id, attempt, status, error FROM delivery)
SELECT id, place FROM delivery`,
  batch: { distinct: 'id' },
};

/** Writes the outcome of an attempt, on the delivery and into its history; false when the attempt was overtaken, and then nothing has changed. */
export async function finishDelivery(
  db: Pick<Database, 'run'>,
  { id, attempt, end, status, error }: DeliveryOutcome,
): Promise<boolean> {
  const delay = end.state === 'pending' ? end.delayMs : null;
  const row = { id, attempt, state: end.state, delay, status, error };
  return (await db.run(FINISH_DELIVERY, [row])).length > 0;
}
