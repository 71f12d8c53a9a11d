import type { Database } from '../create-database.js';
import type { TaskOutput } from '../generated/client.js';
import { inputRows, isInput, type Statement } from '../statement.js';
import { FENCE } from '../tasks/fence.js';

/**
 * Stored image of a task. Its `index` is the position in the result, in the order of storing. Its `slot` is the number
 * of the requested image, the unit in which calls are counted. The `sha256` is that of the stored bytes in hexadecimal.
 */
export type OutputRow = Readonly<
  Pick<TaskOutput, 'index' | 'slot' | 'key' | 'contentType' | 'bytes' | 'width' | 'height' | 'sha256'>
> &
  Partial<ReportedFacts>;

/** Facts that the upstream reported about an image; null where it said nothing. */
export interface ReportedFacts extends Readonly<Pick<TaskOutput, 'quality' | 'revisedPrompt'>> {
  readonly seed: number | null;
}

/** Fields of an input row that has an image. */
export const OUTPUT_FIELDS =
  'slot int, key text, type text, bytes int, width int, height int, sha256 text, drawn_seed int8, drawn_quality text, revised_prompt text';

/** Writes the insertion of the images of input rows `i`, whose tasks are `t`, at an index. The text goes on with `FROM`. */
export function insertOutputs(index: string): string {
  return `
INSERT INTO task_outputs (
       task_id,
       index,
       slot,
       key,
       content_type,
       bytes,
       width,
       height,
       sha256,
       seed,
       quality,
       revised_prompt)
SELECT t.id,
       ${index},
       i.slot,
       i.key,
       i.type,
       i.bytes,
       i.width,
       i.height,
       i.sha256,
       i.drawn_seed,
       i.drawn_quality,
       i.revised_prompt`;
}

/** Returns the values of `OUTPUT_FIELDS`. */
export function toOutputFields(output: OutputRow): object {
  const { slot, key, contentType, bytes, width, height, sha256, seed, quality, revisedPrompt } = output;
  const reported = { drawn_seed: seed, drawn_quality: quality, revised_prompt: revisedPrompt };
  return { slot, key, type: contentType, bytes, width, height, sha256, ...reported };
}

const ADD_OUTPUT: Statement = {
  name: 'add-output',
  text: `
WITH ${inputRows(`task text, attempt int, index int, ${OUTPUT_FIELDS}`)},
task AS (
  UPDATE tasks t SET stored_count = t.stored_count + 1 FROM input i
   WHERE ${isInput('t.id', 'task')} AND ${FENCE} AND t.stored_count = i.index AND t.stored_count < t.num_outputs
  RETURNING t.id),
added AS (
  ${insertOutputs('i.index')} FROM task t JOIN input i ON i.task = t.id
  RETURNING task_id)
SELECT i.index, i.place FROM input i JOIN added ON added.task_id = i.task`,
  batch: { distinct: 'task' },
};

const FIND_ADDED: Statement = {
  name: 'find-added-output',
  text: `
SELECT o.index FROM task_outputs o JOIN tasks t ON t.id = o.task_id
 WHERE o.task_id = $1 AND t.attempt = $2 AND o.index = $3 AND o.slot = $4 AND o.key = $5 AND o.sha256 = $6`,
};

/**
 * Inserts a stored image and counts it, in one statement that locks the task's row. Returns false when the task has
 * ended or belongs to another attempt. Safe to repeat: an image that an earlier try of the same attempt inserted is
 * found again.
 */
export async function addOutput(
  db: Pick<Database, 'run'>,
  { taskId, attempt }: { readonly taskId: string; readonly attempt: number },
  output: OutputRow,
): Promise<boolean> {
  const { index, slot, key, sha256 } = output;
  const row = { task: taskId, attempt, index, ...toOutputFields(output) };
  if ((await db.run(ADD_OUTPUT, [row])).length > 0) {
    return true;
  }
  return (await db.run(FIND_ADDED, [taskId, attempt, index, slot, key, sha256])).length > 0;
}

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

const FIND_PUBLIC_OUTPUT: Statement = {
  name: 'find-public-output',
  text: `
SELECT o.width, o.height FROM task_outputs o JOIN tasks t ON t.id = o.task_id
 WHERE o.task_id = $1 AND o.key = $2 AND t.status = 'completed' AND t.erased_at IS NULL`,
};

/** Returns the size of the image that a key names; null where that is none of a completed task: only those are public. */
export async function findPublicOutput(
  db: Pick<Database, 'run'>,
  { taskId, key }: { readonly taskId: string; readonly key: string },
): Promise<Pick<OutputRow, 'width' | 'height'> | null> {
  const [size] = await db.run<Pick<OutputRow, 'width' | 'height'>>(FIND_PUBLIC_OUTPUT, [taskId, key]);
  return size ?? null;
}
