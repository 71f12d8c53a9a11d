import type { Database } from '../create-database.js';
import type { Task, WebhookDelivery } from '../generated/client.js';
import { inputRows, isInput, type Statement } from '../statement.js';

/** Error of an attempt whose receiver's host name does not exist, according to the name servers themselves. */
export const NAME_NOT_FOUND = 'name not found';

/**
 * Delivery or test event that this process may send until its lease ends. `requestId` names the request that made it, for
 * log lines. The outcome counts only while the row still has this `attempt`. `body` is the exact text that is signed and sent.
 */
export interface ClaimedDelivery
  extends Readonly<
    Pick<WebhookDelivery, 'id' | 'accountId' | 'attempt' | 'url' | 'hostPort' | 'body'> &
      Pick<Task, 'requestId' | 'traceparent'>
  > {
  /** Table that it is from. */
  readonly source: 'task' | 'test' | 'endpoint';
  /** Null for a test event and most events of endpoints, which belong to no task. */
  readonly taskId: string | null;
  /** The account's active secrets: the current one, and for 24 hours after a rotation the one before. */
  readonly secrets: readonly string[];
  /** The moment of the claim by the database's clock, in unix seconds. */
  readonly claimedAtSeconds: number;
  /** How late the attempt begins, in milliseconds. */
  readonly lateMs: number;
  /** How many attempts before this one, without another between, found that the name does not exist. */
  readonly nameNotFoundCount: number;
  /** Since when that was so, in milliseconds; 0 when it was not. */
  readonly nameNotFoundForMs: number;
}

/** SQL of the secrets that sign at this moment, of the account `a`: a rotation between two attempts counts for the second one. */
export const ACTIVE_SECRETS = `CASE WHEN a.webhook_secret_overlap_until > now() AND a.webhook_secret_previous IS NOT NULL
       THEN ARRAY[a.webhook_secret, a.webhook_secret_previous] ELSE ARRAY[a.webhook_secret] END`;

/** Writes an aggregate over the latest attempts that all found no name; the history is read only for a delivery whose last one did. */
function ofMissingName(aggregate: string): string {
  return `CASE WHEN d.last_error = '${NAME_NOT_FOUND}' THEN (
    SELECT ${aggregate} FROM webhook_attempts w
     WHERE w.delivery_id = d.id AND w.attempt > COALESCE((SELECT max(o.attempt) FROM webhook_attempts o
       WHERE o.delivery_id = d.id AND o.error IS DISTINCT FROM '${NAME_NOT_FOUND}'), 0)) ELSE 0 END`;
}

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
RETURNING 'task' AS source, d.id, d.account_id AS "accountId", d.task_id AS "taskId", t.request_id AS "requestId", t.traceparent,
  d.attempt, d.url,
  d.host_port AS "hostPort", d.body,
  ${ACTIVE_SECRETS} AS secrets,
  floor(EXTRACT(EPOCH FROM now()))::float8 AS "claimedAtSeconds",
  (EXTRACT(EPOCH FROM now() - due.next_attempt_at) * 1000)::float8 AS "lateMs",
  ${ofMissingName('count(*)::int')} AS "nameNotFoundCount",
  ${ofMissingName('COALESCE(EXTRACT(EPOCH FROM now() - min(w.ended_at)) * 1000, 0)::float8')} AS "nameNotFoundForMs"`,
};

/** Claims those of some deliveries that are still due, for `leaseMs`; what another worker is claiming is left to it. */
export async function claimDeliveries(
  db: Database,
  ids: readonly string[],
  leaseMs: number,
): Promise<ClaimedDelivery[]> {
  return ids.length === 0 ? [] : db.run<ClaimedDelivery>(CLAIM_DELIVERIES, [ids, leaseMs]);
}

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

/**
 * Writes the outcome of an attempt, on the delivery and into its history; false when the attempt was overtaken, and then
 * nothing has changed.
 */
export async function finishDelivery(
  db: Pick<Database, 'run'>,
  { id, attempt, end, status, error }: DeliveryOutcome,
): Promise<boolean> {
  const delay = end.state === 'pending' ? end.delayMs : null;
  const row = { id, attempt, state: end.state, delay, status, error };
  return (await db.run(FINISH_DELIVERY, [row])).length > 0;
}

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

const DELETE_OLD_ATTEMPTS: Statement = {
  name: 'delete-old-attempts',
  text: `
WITH old AS (
  SELECT w.delivery_id, w.attempt FROM webhook_attempts w JOIN webhook_deliveries d ON d.id = w.delivery_id
   WHERE w.ended_at < now() - make_interval(secs => $1::float8 * 86400) AND d.state IN ('delivered', 'failed')
   ORDER BY w.ended_at LIMIT $2::int FOR UPDATE OF w SKIP LOCKED)
DELETE FROM webhook_attempts w USING old WHERE w.delivery_id = old.delivery_id AND w.attempt = old.attempt RETURNING w.attempt`,
};

/** Deletes up to `limit` attempts of webhooks that have ended, made more than `days` ago, the oldest first; returns their number. */
export async function deleteOldAttempts(
  db: Pick<Database, 'run'>,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  return (await db.run(DELETE_OLD_ATTEMPTS, [days, limit])).length;
}
