import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import {
  ACTIVE_SECRETS,
  type ClaimedDelivery,
  type DeliveryOutcome,
} from '../webhook-deliveries/delivery-attempts.js';
import type { DueDelivery } from '../webhook-deliveries/find-due.js';

type Runner = Pick<Database, 'run'>;

/** A test event is due until it has ended, except while a living lease says that it is being sent. */
const IS_DUE = `t.state IN ('pending', 'sending') AND (t.lease_until IS NULL OR t.lease_until < now())`;
const LATE_MS = '(EXTRACT(EPOCH FROM now() - t.created_at) * 1000)::float8 AS "lateMs"';
const DUE_COLUMNS = `t.id, t.account_id AS "accountId", t.host_port AS "hostPort", ${LATE_MS}`;

const FIND_DUE_TESTS: Statement = {
  name: 'find-due-webhook-tests',
  text: `
SELECT ${DUE_COLUMNS} FROM webhook_tests t
 WHERE ${IS_DUE} AND t.account_id <> ALL($1::text[]) ORDER BY t.created_at LIMIT $2::int`,
};

/** Finds the oldest due test events, except those of some accounts. An account has five open ones at most, so none can fill the list. */
export async function findDueTests(
  db: Runner,
  { exceptAccounts, limit }: { readonly exceptAccounts: readonly string[]; readonly limit: number },
): Promise<DueDelivery[]> {
  return db.run<DueDelivery>(FIND_DUE_TESTS, [exceptAccounts, limit]);
}

const FIND_DUE_TESTS_BY_ID: Statement = {
  name: 'find-due-webhook-tests-by-id',
  text: `SELECT ${DUE_COLUMNS} FROM webhook_tests t WHERE t.id = ANY($1::text[]) AND ${IS_DUE}`,
};

/** Finds the due ones among some test events. */
export async function findDueTestsById(db: Runner, ids: readonly string[]): Promise<DueDelivery[]> {
  return ids.length === 0 ? [] : db.run<DueDelivery>(FIND_DUE_TESTS_BY_ID, [ids]);
}

const CLAIM_TESTS: Statement = {
  name: 'claim-webhook-tests',
  text: `
WITH due AS (SELECT t.id FROM webhook_tests t WHERE t.id = ANY($1::text[]) AND ${IS_DUE} FOR UPDATE SKIP LOCKED)
UPDATE webhook_tests t
   SET state = 'sending', attempt = t.attempt + 1, started_at = now(), lease_until = now() + $2::float8 * interval '1 millisecond'
  FROM due, accounts a
 WHERE t.id = due.id AND a.id = t.account_id
RETURNING 'test' AS source, t.id, t.account_id AS "accountId", NULL::text AS "taskId", t.request_id AS "requestId",
  NULL::text AS traceparent, t.attempt, t.url,
  t.host_port AS "hostPort", t.body, ${ACTIVE_SECRETS} AS secrets, floor(EXTRACT(EPOCH FROM now()))::float8 AS "claimedAtSeconds",
  ${LATE_MS}, 0 AS "nameNotFoundCount", 0::float8 AS "nameNotFoundForMs"`,
};

/** Claims the due ones among some test events for `leaseMs`; one that another worker is claiming is left to it. */
export async function claimTests(
  db: Runner,
  ids: readonly string[],
  leaseMs: number,
): Promise<ClaimedDelivery[]> {
  return ids.length === 0 ? [] : db.run<ClaimedDelivery>(CLAIM_TESTS, [ids, leaseMs]);
}

const FINISH_TEST: Statement = {
  name: 'finish-webhook-test',
  text: `
UPDATE webhook_tests SET state = $3, lease_until = NULL, status = $4::int, error = $5,
       ended_at = CASE WHEN $3 <> 'pending' THEN now() END
 WHERE id = $1 AND state = 'sending' AND attempt = $2::int RETURNING id`,
};

/** Writes the outcome of an attempt; false when a later attempt has begun or the row is gone, and then nothing has changed. */
export async function finishTest(
  db: Runner,
  { id, attempt, end, status, error }: DeliveryOutcome,
): Promise<boolean> {
  return (await db.run(FINISH_TEST, [id, attempt, end.state, status, error])).length > 0;
}

const DELETE_OLD_TESTS: Statement = {
  name: 'delete-old-webhook-tests',
  text: `
DELETE FROM webhook_tests WHERE id IN (
  SELECT id FROM webhook_tests WHERE created_at < now() - interval '1 day' ORDER BY created_at LIMIT $1::int FOR UPDATE SKIP LOCKED)
RETURNING id`,
};

/** Deletes test events that are older than a day, whatever their state, at most `limit`; returns how many. */
export async function deleteOldTests(db: Runner, limit: number): Promise<number> {
  return (await db.run(DELETE_OLD_TESTS, [limit])).length;
}
