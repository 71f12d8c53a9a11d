import type { AspectRatio } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import { inputRows, isInput, type Statement } from '../statement.js';
import { FENCE } from './fence.js';

const NOTE_UNUSED: Statement = {
  name: 'note-unused',
  text: `
WITH ${inputRows('id text, attempt int, unused text[]')}
UPDATE tasks t
   SET unused = ARRAY(SELECT DISTINCT u FROM unnest(COALESCE(t.unused, '{}') || i.unused) u ORDER BY u)
  FROM input i WHERE ${isInput('t.id', 'id')} AND ${FENCE}
RETURNING t.id, i.place`,
  batch: { distinct: 'id' },
};

/**
 * Adds the names of preferences that a route leaves out to those of its task. False when the task has ended or belongs to
 * another attempt. Call it before the image of the route is stored. Safe to repeat.
 */
export async function noteUnused(
  db: Pick<Database, 'run'>,
  {
    taskId,
    attempt,
    unused,
  }: { readonly taskId: string; readonly attempt: number; readonly unused: readonly string[] },
): Promise<boolean> {
  return (await db.run(NOTE_UNUSED, [{ id: taskId, attempt, unused }])).length > 0;
}

const SET_SHAPE: Statement = {
  name: 'set-shape',
  text: `
WITH ${inputRows('id text, attempt int, ratio text')}
UPDATE tasks t SET aspect_ratio = i.ratio, shape_ratios = NULL
  FROM input i WHERE ${isInput('t.id', 'id')} AND ${FENCE} AND t.shape_ratios IS NOT NULL
RETURNING t.id, i.place`,
  batch: { distinct: 'id' },
};

/**
 * Sets the ratio of a task that follows its first input image, once that is loaded. False when the ratio stands, the task has ended or
 * belongs to another attempt.
 */
export async function setShape(
  db: Pick<Database, 'run'>,
  {
    taskId,
    attempt,
    aspectRatio,
  }: { readonly taskId: string; readonly attempt: number; readonly aspectRatio: AspectRatio },
): Promise<boolean> {
  return (await db.run(SET_SHAPE, [{ id: taskId, attempt, ratio: aspectRatio }])).length > 0;
}
