import { presentEndpointEvent, type StoredEvent } from '../../presenters/index.js';
import type { Database } from '../create-database.js';
import { type Statement, unplanned } from '../statement.js';
import type { ClaimedDelivery, DeliveryOutcome } from '../webhook-deliveries/delivery-attempts.js';
import type { DueDelivery } from '../webhook-deliveries/find-due.js';

type Runner = Pick<Database, 'run'>;

/** Stands for the account of operators' endpoints where accounts take turns. */
const OPERATORS = 'operators';
/** One that is being sent is due again when its lease ends. */
const IS_DUE = `d.state IN ('pending', 'sending') AND d.next_attempt_at <= now()`;
const DUE_COLUMNS = `d.id, COALESCE(d.account_id, '${OPERATORS}') AS "accountId", d.host_port AS "hostPort",
       (EXTRACT(EPOCH FROM now() - d.next_attempt_at) * 1000)::float8 AS "lateMs"`;

const FIND_DUE_EVENTS: Statement = {
  name: 'find-due-events',
  text: `SELECT ${DUE_COLUMNS} FROM endpoint_deliveries d WHERE ${IS_DUE} ORDER BY d.next_attempt_at LIMIT $1::int`,
};

/** Finds the events that have been due for longest, of all endpoints. */
export async function findDueEvents(db: Runner, limit: number): Promise<DueDelivery[]> {
  return db.run<DueDelivery>(FIND_DUE_EVENTS, [limit]);
}

// The recursion is a loose index scan, from each endpoint to the next one that something waits for. It ends after a number of steps.
const FIND_DUE_EVENTS_IN_TURNS: Statement = {
  name: 'find-due-events-in-turns',
  text: `
WITH RECURSIVE walk AS (
  (SELECT d.endpoint_id, 1 AS turn FROM endpoint_deliveries d
    WHERE d.state IN ('pending', 'sending') AND d.endpoint_id > $1 ORDER BY d.endpoint_id LIMIT 1)
  UNION ALL
  SELECT next.endpoint_id, walk.turn + 1 FROM walk CROSS JOIN LATERAL (
    SELECT d.endpoint_id FROM endpoint_deliveries d
     WHERE d.state IN ('pending', 'sending') AND d.endpoint_id > walk.endpoint_id ORDER BY d.endpoint_id LIMIT 1) next
   WHERE walk.turn < $2::int)
SELECT of.endpoint_id AS visited, of.turn = $2::int AS "isLast", due.* FROM walk of LEFT JOIN LATERAL (
  SELECT ${DUE_COLUMNS} FROM endpoint_deliveries d
   WHERE d.endpoint_id = of.endpoint_id AND ${IS_DUE} ORDER BY d.next_attempt_at LIMIT ${unplanned('$3::int')}) due ON true
 ORDER BY of.turn`,
};

/** Part of the endpoints, and after which one the next look goes on; an empty text after the last one. */
export interface EventPage {
  readonly due: readonly DueDelivery[];
  readonly next: string;
}

/** Finds the oldest due events of the next endpoints in the order of their ids, `perEndpoint` of each. */
export async function findDueEventsInTurns(
  db: Runner,
  {
    after,
    maxVisited,
    perEndpoint,
  }: { readonly after: string; readonly maxVisited: number; readonly perEndpoint: number },
): Promise<EventPage> {
  type Row = { readonly visited: string; readonly isLast: boolean } & (DueDelivery | { readonly id: null });
  const rows = await db.run<Row>(FIND_DUE_EVENTS_IN_TURNS, [after, maxVisited, perEndpoint]);
  const last = rows.at(-1);
  return {
    due: rows.flatMap((row) => (row.id === null ? [] : [row])),
    next: last?.isLast ? last.visited : '',
  };
}

const CLAIM_EVENTS: Statement = {
  name: 'claim-events',
  text: `
WITH due AS (SELECT d.id, d.next_attempt_at FROM endpoint_deliveries d WHERE d.id = ANY($1::text[]) AND ${IS_DUE} FOR UPDATE SKIP LOCKED)
UPDATE endpoint_deliveries d
   SET state = 'sending', attempt = d.attempt + 1, next_attempt_at = now() + $2::float8 * interval '1 millisecond'
  FROM due, endpoints e
 WHERE d.id = due.id AND e.id = d.endpoint_id
RETURNING 'endpoint' AS source, d.id, COALESCE(d.account_id, '${OPERATORS}') AS "accountId", d.task_id AS "taskId",
  d.endpoint_id AS "requestId",
  NULL::text AS traceparent, d.attempt, e.url, d.host_port AS "hostPort", d.body, d.type, d.data, d.created_at AS "createdAt",
    ARRAY[e.secret] AS secrets,
  floor(EXTRACT(EPOCH FROM now()))::float8 AS "claimedAtSeconds",
  (EXTRACT(EPOCH FROM now() - due.next_attempt_at) * 1000)::float8 AS "lateMs", 0 AS "nameNotFoundCount", 0::float8 AS "nameNotFoundForMs"`,
};

// Of two workers the first one decides.
const WRITE_BODIES: Statement = {
  name: 'write-event-bodies',
  text: `
UPDATE endpoint_deliveries d SET body = COALESCE(d.body, w.body), data = NULL
  FROM unnest($1::text[], $2::text[]) w(id, body) WHERE d.id = w.id RETURNING d.id, d.body`,
};

/** Claimed event; before its first attempt it has data, and from then on a body. */
type ClaimedEvent = Omit<ClaimedDelivery, 'body'> & StoredEvent & { readonly body: string | null };

/** Claims those of some events that are still due and that no other worker claims, for `leaseMs`, and writes the bodies of new ones. */
export async function claimEvents(
  db: Runner,
  ids: readonly string[],
  leaseMs: number,
): Promise<ClaimedDelivery[]> {
  const claimed = ids.length === 0 ? [] : await db.run<ClaimedEvent>(CLAIM_EVENTS, [ids, leaseMs]);
  const fresh = claimed.filter(({ body }) => body === null);
  const values = [fresh.map(({ id }) => id), fresh.map(presentEndpointEvent)];
  const written =
    fresh.length === 0 ? [] : await db.run<Pick<ClaimedDelivery, 'id' | 'body'>>(WRITE_BODIES, values);
  const bodies = new Map(written.map(({ id, body }) => [id, body]));
  return claimed.flatMap((event) => {
    const body = event.body ?? bodies.get(event.id);
    return body === undefined ? [] : [{ ...event, body }];
  });
}

// The endpoint is noted in the same statement, after its event: an attempt that was overtaken notes nothing.
const FINISH_EVENT: Statement = {
  name: 'finish-event',
  text: `
WITH event AS (
  UPDATE endpoint_deliveries d
     SET state = $3, last_status = $5::int, last_error = $6,
         next_attempt_at = CASE $3 WHEN 'pending' THEN now() + $4::float8 * interval '1 millisecond' END,
         delivered_at = CASE $3 WHEN 'delivered' THEN now() END,
         attempts = d.attempts || jsonb_build_array(jsonb_build_object('attempt', d.attempt, 'status', $5::int, 'error', $6::text,
           'ended_at', now()))
   WHERE d.id = $1 AND d.state = 'sending' AND d.attempt = $2::int
  RETURNING d.id, d.endpoint_id)
SELECT id, CASE WHEN $7::boolean IS NOT NULL THEN note_attempt(endpoint_id, $7::boolean, $5::int) END AS noted FROM event`,
};

/**
 * Writes the outcome of an attempt, and notes whether its endpoint answers; false when the attempt was overtaken, and then
 * nothing has changed.
 */
export async function finishEvent(
  db: Runner,
  { id, attempt, end, status, error }: DeliveryOutcome,
): Promise<boolean> {
  const delay = end.state === 'pending' ? end.delayMs : null;
  const isGood = end.state === 'delivered';
  // One that we cut ourselves says nothing about the endpoint.
  const noted = delay === 0 ? null : isGood;
  return (await db.run(FINISH_EVENT, [id, attempt, end.state, delay, status, error, noted])).length > 0;
}

const RESEND_EVENT: Statement = {
  name: 'resend-event',
  text: `
WITH event AS (
  UPDATE endpoint_deliveries SET state = 'pending', next_attempt_at = now(), delivered_at = NULL
   WHERE id = $1 AND state <> 'sending' AND ($2::text IS NULL OR account_id = $2) RETURNING id),
audit AS (INSERT INTO audit_entries (id, action, subject, detail) SELECT $3, 'webhook.resend', id, $4::jsonb FROM event)
SELECT d.state, e.id IS NOT NULL AS resent FROM endpoint_deliveries d LEFT JOIN event e ON e.id = d.id
 WHERE d.id = $1 AND ($2::text IS NULL OR d.account_id = $2)`,
};

/** Makes an event due now, whatever became of it before; `sending` while it is being sent, `unknown` for none of the account. */
export async function resendEvent(
  db: Runner,
  {
    id,
    accountId,
    auditId,
    actor,
  }: {
    readonly id: string;
    readonly accountId: string | null;
    readonly auditId: string;
    readonly actor: string;
  },
): Promise<'resent' | 'sending' | 'unknown'> {
  const [row] = await db.run<{ readonly resent: boolean }>(RESEND_EVENT, [
    id,
    accountId,
    auditId,
    JSON.stringify({ actor }),
  ]);
  if (!row) {
    return 'unknown';
  }
  return row.resent ? 'resent' : 'sending';
}

const DELETE_OLD_EVENTS: Statement = {
  name: 'delete-old-events',
  text: `
WITH old AS (
  SELECT id FROM endpoint_deliveries
   WHERE created_at < now() - make_interval(secs => $1::float8 * 86400) AND state IN ('delivered', 'failed')
   ORDER BY created_at LIMIT $2::int FOR UPDATE SKIP LOCKED)
DELETE FROM endpoint_deliveries d USING old WHERE d.id = old.id RETURNING d.id`,
};

/** Deletes up to `limit` events that have ended, made more than `days` ago; returns their number. */
export async function deleteOldEvents(
  db: Runner,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  return (await db.run(DELETE_OLD_EVENTS, [days, limit])).length;
}

const DELETE_OLD_CAP_NOTICES: Statement = {
  name: 'delete-old-cap-notices',
  text: `
WITH old AS (
  SELECT api_key_id, cap, value, starts_on, percent FROM cap_notices
   WHERE starts_on > '-infinity' AND starts_on < (now() AT TIME ZONE 'UTC')::date - CASE cap WHEN 'month' THEN 62 ELSE 1 END
   LIMIT $1::int FOR UPDATE SKIP LOCKED)
DELETE FROM cap_notices n USING old
 WHERE n.api_key_id = old.api_key_id AND n.cap = old.cap AND n.value = old.value AND n.starts_on = old.starts_on AND n.percent = old.percent
RETURNING n.percent`,
};

/** Deletes up to `limit` notes about caps whose window is over; returns their number. */
export async function deleteOldCapNotices(
  db: Runner,
  { limit }: { readonly limit: number },
): Promise<number> {
  return (await db.run(DELETE_OLD_CAP_NOTICES, [limit])).length;
}
