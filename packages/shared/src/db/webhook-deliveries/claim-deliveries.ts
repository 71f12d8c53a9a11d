import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** A delivery that this process may send until its lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly taskId: string;
  /** The id of the request that made the task; stands in every log line about it. */
  readonly requestId: string;
  /** The fence: the outcome counts only while the row still has this attempt. */
  readonly attempt: number;
  readonly url: string;
  readonly hostPort: string;
  /** The exact text that is signed and sent. */
  readonly body: string;
  /** The account's active secrets: the current one, and for 24 hours after a rotation the one before. */
  readonly secrets: readonly string[];
  /** The moment of the claim by the database's clock, in unix seconds. */
  readonly claimedAtSeconds: number;
  /** How late the attempt begins, in milliseconds. */
  readonly lateMs: number;
}

// The account is read as it is now: a rotation between two attempts counts for the second one.
const CLAIM_DELIVERIES: Statement = {
  name: 'claim-deliveries',
  text: `
WITH due AS (
  SELECT id, next_attempt_at FROM webhook_deliveries
   WHERE id = ANY($1::text[]) AND state = 'pending' AND next_attempt_at <= now()
   FOR UPDATE SKIP LOCKED)
UPDATE webhook_deliveries d
   SET state = 'sending', attempt = d.attempt + 1, next_attempt_at = NULL,
       lease_until = now() + $2::float8 * interval '1 millisecond'
  FROM due, accounts a, tasks t
 WHERE d.id = due.id AND a.id = d.account_id AND t.id = d.task_id
RETURNING d.id, d.task_id AS "taskId", t.request_id AS "requestId", d.attempt, d.url, d.host_port AS "hostPort", d.body,
  CASE WHEN a.webhook_secret_previous_until > now() AND a.webhook_secret_previous IS NOT NULL
       THEN ARRAY[a.webhook_secret, a.webhook_secret_previous] ELSE ARRAY[a.webhook_secret] END AS secrets,
  floor(EXTRACT(EPOCH FROM now()))::float8 AS "claimedAtSeconds",
  (EXTRACT(EPOCH FROM now() - due.next_attempt_at) * 1000)::float8 AS "lateMs"`,
};

/** Claims those of some deliveries that are still due, for `leaseMs`; what another worker is claiming is left to it. */
export async function claimDeliveries(
  db: Database,
  ids: readonly string[],
  leaseMs: number,
): Promise<ClaimedDelivery[]> {
  return ids.length === 0 ? [] : db.run<ClaimedDelivery>(CLAIM_DELIVERIES, [ids, leaseMs]);
}
