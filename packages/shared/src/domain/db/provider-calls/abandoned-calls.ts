import type { Database } from '../create-database.js';
import type { ProviderCall, Task } from '../generated/client.js';
import type { Statement } from '../statement.js';
import type { CallRow } from './call-row.js';
import { CALL_COLUMNS } from './find-calls.js';

/** A call that was open when its task ended; its own caller may have concluded it since. */
export interface AbandonedCall extends CallRow {
  readonly taskId: ProviderCall['taskId'];
  readonly requestTraceId: Task['requestId'];
  /** Milliseconds since the task ended. */
  readonly endedMsAgo: number;
}

// A worker that claims a call puts it off: when that worker dies, another one finds it again.
const CLAIM_ABANDONED_CALLS: Statement = {
  name: 'claim-abandoned-calls',
  text: `
WITH due AS MATERIALIZED (
  SELECT a.call_id FROM abandoned_calls a
   WHERE a.call_id = ANY (ARRAY(
           SELECT call_id
             FROM (SELECT call_id, row_number() OVER (PARTITION BY provider ORDER BY due_at) AS turn
                     FROM (SELECT call_id, provider, due_at FROM abandoned_calls
                            WHERE due_at <= now() ORDER BY due_at LIMIT 5000) oldest) d
            WHERE d.turn <= $1::int))
     AND a.due_at <= now()
   FOR UPDATE SKIP LOCKED),
claimed AS (
  UPDATE abandoned_calls a SET due_at = now() + make_interval(secs => $2::float8 / 1000)
    FROM due WHERE a.call_id = due.call_id
  RETURNING a.call_id)
SELECT ${CALL_COLUMNS}, c.task_id AS "taskId", t.request_id AS "requestTraceId",
       (EXTRACT(EPOCH FROM now() - t.completed_at) * 1000)::float8 AS "endedMsAgo"
  FROM claimed JOIN provider_calls c ON c.id = claimed.call_id JOIN tasks t ON t.id = c.task_id`,
};

/** Claims due calls of tasks that have ended, the same number of each provider; several workers never get the same one. */
export async function claimAbandonedCalls(
  db: Pick<Database, 'run'>,
  { perProvider, leaseMs }: { readonly perProvider: number; readonly leaseMs: number },
): Promise<AbandonedCall[]> {
  return db.run<AbandonedCall>(CLAIM_ABANDONED_CALLS, [perProvider, leaseMs]);
}

// A claimed call is due later. One whose job id arrives is due at once, also while this statement waits for the row.
const FORGET: Statement = {
  name: 'forget-abandoned-call',
  text: `
DELETE FROM abandoned_calls a USING provider_calls c
 WHERE a.call_id = $1 AND c.id = a.call_id AND c.state NOT IN ('started', 'submitted')
   AND a.due_at > clock_timestamp()`,
};
const PUT_OFF: Statement = {
  name: 'put-off-abandoned-call',
  text: `
UPDATE abandoned_calls
   SET failures = failures + 1, due_at = now() + LEAST($2::float8 * 2 ^ LEAST(failures, 10), 60000) * interval '1 millisecond'
 WHERE call_id = $1`,
};

/** Forgets an abandoned call that has its outcome. */
export async function deleteAbandonedCall(db: Pick<Database, 'run'>, callId: string): Promise<void> {
  await db.run(FORGET, [callId]);
}

/** Puts a call off whose job could not be stopped: by `backoffMs`, twice as long after each failure, a minute at most. */
export async function postponeAbandonedCall(
  db: Pick<Database, 'run'>,
  { callId, backoffMs }: { readonly callId: string; readonly backoffMs: number },
): Promise<void> {
  await db.run(PUT_OFF, [callId, backoffMs]);
}
