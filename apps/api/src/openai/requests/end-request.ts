import { type Database, inputRows, isInput, type Statement } from '@image-gateway/shared/db';
import type { RequestFingerprint } from '@image-gateway/shared/task';

/** Request of the facade that has ended. */
export interface RequestEnd {
  readonly taskId: string;
  readonly requestId: string;
  /** True if its whole answer was written. */
  readonly isDelivered: boolean;
}

// An answer that any request wrote is delivered, unless another one took it over or joined. Clients of earlier ones may have left without a
// word. Only the request that waits for it last can abandon it.
const END_REQUEST: Statement = {
  name: 'end-facade-request',
  text: `
WITH ${inputRows('task text, request text, state text')}
UPDATE facade_requests f SET state = i.state, is_sole = f.is_sole AND i.state <> 'delivered', changed_at = now()
  FROM input i
 WHERE ${isInput('f.task_id', 'task')}
   AND (i.state = 'delivered' AND f.state <> 'delivered' AND (f.takeovers = 0 OR f.request_id = i.request)
        OR f.state = 'waiting' AND f.request_id = i.request)`,
  batch: { distinct: 'task' },
};

const ABANDON_LOST_REQUEST: Statement = {
  name: 'abandon-lost-facade-request',
  text: `
UPDATE facade_requests f SET state = 'abandoned', changed_at = now()
 WHERE f.api_key_id = $1 AND f.fingerprint = $2::bytea AND f.request_id = $3 AND f.state = 'waiting'`,
};

// The age leaves time for requests that began after the list was made, and for statements that wait for a connection.
const ABANDON_UNKNOWN_REQUESTS: Statement = {
  name: 'abandon-unknown-facade-requests',
  text: `
UPDATE facade_requests f SET state = 'abandoned', changed_at = now()
 WHERE f.process_id = $1 AND f.state = 'waiting' AND f.changed_at < now() - interval '10 seconds'
   AND f.request_id <> ALL ($2::text[])`,
};

/** Records how a request ended. Requests that end at the same time share a statement. Safe to repeat. */
export async function endRequest(db: Pick<Database, 'run'>, end: RequestEnd): Promise<void> {
  const { taskId: task, requestId: request, isDelivered } = end;
  await db.run(END_REQUEST, [{ task, request, state: isDelivered ? 'delivered' : 'abandoned' }]);
}

/** Abandons the request of a submit or take-over that may have been committed although its response was lost. */
export async function abandonLostRequest(
  db: Pick<Database, 'run'>,
  request: {
    readonly apiKeyId: string;
    readonly fingerprint: RequestFingerprint;
    readonly requestId: string;
  },
): Promise<void> {
  await db.run(ABANDON_LOST_REQUEST, [request.apiKeyId, request.fingerprint.first, request.requestId]);
}

/** Abandons requests that wait in a process which does not know them: what should have ended them failed. */
export async function abandonUnknownRequests(
  db: Pick<Database, 'run'>,
  { processId, known }: { readonly processId: string; readonly known: readonly string[] },
): Promise<void> {
  await db.run(ABANDON_UNKNOWN_REQUESTS, [processId, known]);
}
