import { askedAs } from '../asked.js';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { OutputRow } from './output-row.js';

const ADD_OUTPUT: Statement = {
  name: 'add-output',
  text: `
WITH task AS (
  UPDATE tasks SET stored_count = stored_count + 1
   WHERE id = $1 AND status = 'pending' AND attempt = $2 AND stored_count = $3::int AND stored_count < num_outputs
  RETURNING id)
INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
SELECT id, $3::int, $4::int, $5, $6, $7::int, $8::int, $9::int, $10 FROM task
RETURNING index`,
  many: {
    name: 'add-outputs',
    fields: ['task', 'attempt', 'index', 'slot', 'key', 'type', 'bytes', 'width', 'height', 'sha256'],
    distinct: 'task',
    text: `
WITH ${askedAs('task text, attempt int, index int, slot int, key text, type text, bytes int, width int, height int, sha256 text')},
task AS (
  UPDATE tasks t SET stored_count = t.stored_count + 1 FROM asked a
   WHERE t.id = a.task AND t.id = ANY (ARRAY(SELECT task FROM asked)) AND t.status = 'pending' AND t.attempt = a.attempt AND t.stored_count = a.index
     AND t.stored_count < t.num_outputs
  RETURNING t.id),
added AS (
  INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
  SELECT a.task, a.index, a.slot, a.key, a.type, a.bytes, a.width, a.height, a.sha256
    FROM asked a JOIN task ON task.id = a.task
  RETURNING task_id)
SELECT a.index, a.place FROM asked a JOIN added ON added.task_id = a.task`,
  },
};

const FIND_ADDED: Statement = {
  name: 'find-added-output',
  text: `
SELECT o.index FROM task_outputs o JOIN tasks t ON t.id = o.task_id
 WHERE o.task_id = $1 AND t.attempt = $2 AND o.index = $3 AND o.slot = $4 AND o.key = $5 AND o.sha256 = $6`,
};

/**
 * Writes down a stored image and counts it, in one statement that locks the task's row; false when the task has ended or
 * belongs to another attempt. Safe to repeat: an image that an earlier try of the same attempt wrote down is found again.
 */
export async function addOutput(
  db: Pick<Database, 'run'>,
  { taskId, attempt }: { readonly taskId: string; readonly attempt: number },
  output: OutputRow,
): Promise<boolean> {
  const { index, slot, key, contentType, bytes, width, height, sha256 } = output;
  const values = [taskId, attempt, index, slot, key, contentType, bytes, width, height, sha256];
  if ((await db.run(ADD_OUTPUT, values)).length > 0) return true;
  return (await db.run(FIND_ADDED, [taskId, attempt, index, slot, key, sha256])).length > 0;
}
