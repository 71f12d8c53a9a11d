import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const FIND_ENDED_TASKS: Statement = {
  name: 'find-ended-tasks',
  text: "SELECT t.id FROM tasks t WHERE t.id = ANY($1::text[]) AND t.status <> 'pending'",
};

/** Returns those of the given tasks that have ended, whosever they are. */
export async function findEndedTasks(
  db: Pick<Database, 'run'>,
  ids: readonly string[],
): Promise<readonly string[]> {
  const rows = await db.run<{ readonly id: string }>(FIND_ENDED_TASKS, [ids]);
  return rows.map(({ id }) => id);
}
