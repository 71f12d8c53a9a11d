import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const FIND_PUBLIC_OUTPUT: Statement = {
  name: 'find-public-output',
  text: `
SELECT o.key FROM task_outputs o JOIN tasks t ON t.id = o.task_id
 WHERE o.task_id = $1 AND o.key = $2 AND t.status = 'completed'`,
};

/** Returns true if a key names an image of a completed task: only those are public. */
export async function isPublicOutput(
  db: Pick<Database, 'run'>,
  { taskId, key }: { readonly taskId: string; readonly key: string },
): Promise<boolean> {
  return (await db.run(FIND_PUBLIC_OUTPUT, [taskId, key])).length > 0;
}
