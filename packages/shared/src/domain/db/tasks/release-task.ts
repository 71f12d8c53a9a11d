import type { Database } from '../create-database.js';
import { inputRows, isInput, type Statement } from '../statement.js';
import { FENCE } from './fence.js';

/** Terms on which an attempt releases its task. */
export interface TaskRelease {
  readonly taskId: string;
  readonly attempt: number;
  /** When the task is due again, in milliseconds from now. */
  readonly delayMs: number;
  /** True if the attempt counts against the task's tries. */
  readonly usesTry: boolean;
  /** True if each object that the attempt put has its row. */
  readonly isClean?: boolean;
}

const RELEASE_TASK: Statement = {
  name: 'release-task',
  text: `
WITH ${inputRows('id text, attempt int, delay float8, uses_try boolean, clean boolean')}
UPDATE tasks t
   SET phase = 'queued', lease_until = NULL, worker_id = NULL, tries = t.tries + CASE WHEN i.uses_try THEN 1 ELSE 0 END,
       tidy_attempt = CASE WHEN i.clean AND t.tidy_attempt = t.attempt - 1 THEN t.attempt ELSE t.tidy_attempt END,
       due_at = now() + make_interval(secs => i.delay / 1000)
  FROM input i WHERE ${isInput('t.id', 'id')} AND ${FENCE} AND t.phase = 'running'
RETURNING t.id, i.place`,
  batch: { distinct: 'id' },
};

/** Puts a task back into the queue; false when it has ended or belongs to another attempt. Safe to repeat after any error. */
export async function releaseTask(
  db: Pick<Database, 'run'>,
  { taskId, attempt, delayMs, usesTry, isClean = false }: TaskRelease,
): Promise<boolean> {
  const rows = await db.run(RELEASE_TASK, [
    { id: taskId, attempt, delay: delayMs, uses_try: usesTry, clean: isClean },
  ]);
  return rows.length > 0;
}
