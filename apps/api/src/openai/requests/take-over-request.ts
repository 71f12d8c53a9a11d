import type { Database, Statement, TaskRow } from '@image-gateway/shared/db';
import type { RequestFingerprint } from '@image-gateway/shared/task';

/** Request that looks for an answer that nobody received. */
export interface TakeOver {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly fingerprint: RequestFingerprint;
  readonly requestId: string;
  readonly processId: string;
  /** Which repetition of an earlier request this is, 0 for none: an answer that was written just now may be lost on its way. */
  readonly retryCount: number;
  /** True if the request joins a task that an equal one still waits for. */
  readonly joins: boolean;
  /** True if it joins whichever is under way, rather than one that no repetition of this count or a higher one has. */
  readonly joinEqual: boolean;
  /** Age of the lease of another process, in milliseconds, from which that process may be gone. */
  readonly doubtMs: number;
}

/** Task whose answer a request takes over. */
export type TakenTask = Readonly<Pick<TaskRow, 'id' | 'model' | 'type' | 'createdAt' | 'metadata'>> & {
  /** True if an equal request still waits for the answer too. */
  readonly isJoined: boolean;
};

/** Outcome of a look: a task, or the milliseconds until the lease of a process in doubt is over, or neither. */
export interface TakeOverLook {
  readonly task: TakenTask | null;
  readonly doubtEndsMs: number | null;
}

/** The lease of a process lasts 3 s from its last renewal, and from a change of the request's row. */
export const LEASE_MS = 3_000;
/** Answers can be taken over for 15 minutes from when they were abandoned. */
export const ABANDONED_MS = 15 * 60_000;
/** Repetitions can take over answers for 30 s from when they were written. */
export const DELIVERED_MS = 30_000;

/** Rows of releases that did not know the added fields are compared without them. */
const EQUAL =
  'f.account_id = $1 AND f.api_key_id = $2 AND f.fingerprint = $3::bytea AND COALESCE(f.added, $10::bytea) = $10::bytea';
const REQUESTS = 'facade_requests f LEFT JOIN facade_processes p ON p.id = f.process_id';
/** Moment of the last sign of life of the process that a request waits in. */
const SEEN_AT = 'GREATEST(p.renewed_at, f.changed_at)';
const ago = (ms: number): string => `now() - interval '${ms} milliseconds'`;
/** Condition of a request whose process is gone. */
const IS_GONE = `f.process_id <> $5 AND ${SEEN_AT} <= ${ago(LEASE_MS)}`;

/** Condition of a request whose answer can be taken over. */
const IS_OPEN = `(f.state = 'abandoned' AND (f.changed_at > ${ago(ABANDONED_MS)} OR $9::bool AND f.is_sole)
       OR f.state = 'waiting' AND ${IS_GONE} AND ${SEEN_AT} > ${ago(LEASE_MS + ABANDONED_MS)}
       OR f.state = 'waiting' AND $8::bool AND (f.retry_count < $6::int OR $9::bool) AND (SELECT ends FROM doubt) IS NULL
       OR f.state = 'delivered' AND $6::int > 0 AND f.changed_at > ${ago(DELIVERED_MS)} AND (SELECT ends FROM doubt) IS NULL
          AND NOT (f.takeovers > 0 AND EXISTS (SELECT FROM tasks t WHERE t.id = f.task_id AND t.status = 'failed')))`;

// A lock that another take-over holds is waited for: its row no longer matches then, and the next one is taken. When all that the statement
// saw was taken meanwhile, `outrun` says so. Tasks that are joined and written answers come last, and only when no process is in doubt that
// may hold the request's own. Each repetition of a client has a higher count, so it finds the task that its earlier one joined or bought.
// Repetitions of other clients find tasks of their own. The error of a failed task is taken over once. While a row is sole, no
// equal request can insert another one, so it is taken however old it is.
const TAKE_OVER_REQUEST: Statement = {
  name: 'take-over-facade-request',
  text: `
WITH doubt AS MATERIALIZED (
  SELECT min(EXTRACT(EPOCH FROM ${SEEN_AT} - (${ago(LEASE_MS)})) * 1000)::float8 AS ends FROM ${REQUESTS}
   WHERE ${EQUAL} AND f.state = 'waiting' AND f.process_id <> $5
     AND ${SEEN_AT} > ${ago(LEASE_MS)} AND ${SEEN_AT} <= now() - make_interval(secs => $7::float8 / 1000)),
chosen AS MATERIALIZED (
  SELECT f.task_id, f.state = 'waiting' AND NOT (${IS_GONE}) AS joined FROM ${REQUESTS}
   WHERE ${EQUAL} AND ${IS_OPEN}
   ORDER BY f.state = 'delivered', joined, f.created_at, f.task_id LIMIT 1 FOR UPDATE OF f),
taken AS (
  UPDATE facade_requests f SET state = 'waiting', request_id = $4, process_id = $5, takeovers = f.takeovers + 1,
                               retry_count = GREATEST(f.retry_count, $6::int), changed_at = now()
    FROM chosen WHERE f.task_id = chosen.task_id
  RETURNING f.task_id, chosen.joined)
SELECT t.id, t.model, t.type, t.created_at AS "createdAt", t.metadata, taken.joined AS "isJoined", d.ends AS "doubtEndsMs",
       taken.task_id IS NULL AND EXISTS (SELECT FROM ${REQUESTS} WHERE ${EQUAL} AND ${IS_OPEN}) AS outrun
  FROM doubt d LEFT JOIN taken ON true LEFT JOIN tasks t ON t.id = taken.task_id`,
};

type Row = { readonly [Name in keyof TakenTask]: TakenTask[Name] | null } & Pick<
  TakeOverLook,
  'doubtEndsMs'
> & { readonly outrun: boolean };

/**
 * Takes over the oldest answer that an equal request of the same key did not receive: one that was abandoned, or whose process is gone.
 * A request that `joins` takes one over whose earlier request still waits too. One compare-and-set, so that each answer goes to
 * one request.
 */
export async function takeOverRequest(db: Pick<Database, 'run'>, search: TakeOver): Promise<TakeOverLook> {
  const { accountId, apiKeyId, fingerprint, requestId, processId, retryCount, doubtMs } = search;
  const { joins, joinEqual } = search;
  const { first, added } = fingerprint;
  const values = [
    accountId,
    apiKeyId,
    first,
    requestId,
    processId,
    retryCount,
    doubtMs,
    joins,
    joinEqual,
    added,
  ];
  for (;;) {
    const [row] = await db.run<Row>(TAKE_OVER_REQUEST, values);
    const { id = null, model = null, type = null, createdAt = null } = row ?? {};
    const { metadata = null, isJoined, doubtEndsMs = null } = row ?? {};
    if (id !== null && model !== null && type !== null && createdAt !== null) {
      return { task: { id, model, type, createdAt, metadata, isJoined: isJoined === true }, doubtEndsMs };
    }
    // The others may have left answers that were abandoned after this statement began. Each round somebody got one.
    if (!row?.outrun) {
      return { task: null, doubtEndsMs };
    }
  }
}
