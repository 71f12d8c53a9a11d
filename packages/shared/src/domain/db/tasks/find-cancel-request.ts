import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const FIND_CANCEL_REQUEST: Statement = {
  name: 'find-cancel-request',
  text: `
SELECT t.id FROM tasks t
 WHERE t.id = $1 AND t.status = 'pending' AND t.attempt = $2 AND t.cancel_requested_at IS NOT NULL`,
};

/** Returns true when the task of an attempt shall be canceled, and still belongs to the attempt. */
export async function findCancelRequest(
  db: Pick<Database, 'run'>,
  { taskId, attempt }: { readonly taskId: string; readonly attempt: number },
): Promise<boolean> {
  return (await db.run(FIND_CANCEL_REQUEST, [taskId, attempt])).length > 0;
}
