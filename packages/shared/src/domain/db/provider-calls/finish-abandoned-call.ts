import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const FORGET: Statement = {
  name: 'forget-abandoned-call',
  text: `
DELETE FROM abandoned_calls a USING provider_calls c
 WHERE a.call_id = $1 AND c.id = a.call_id AND c.state NOT IN ('started', 'submitted')`,
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
