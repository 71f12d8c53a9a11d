import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { OutputRow } from './output-row.js';

const FIND_OUTPUTS: Statement = {
  name: 'find-outputs',
  text: `
SELECT index, slot, key, content_type AS "contentType", bytes, width, height, sha256
  FROM task_outputs WHERE task_id = $1 ORDER BY index`,
};

/** The stored images of a task in index order. */
export async function findOutputs(db: Pick<Database, 'run'>, taskId: string): Promise<OutputRow[]> {
  return db.run<OutputRow>(FIND_OUTPUTS, [taskId]);
}
