import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

/** How an attempt gives its task back. */
export interface TaskRelease {
  readonly taskId: string;
  readonly attempt: number;
  /** When the task is due again, in milliseconds from now. */
  readonly delayMs: number;
  /** Whether the attempt counts against the task's tries. */
  readonly burnsTry: boolean;
}

const RELEASE_TASK: Statement = {
  name: 'release-task',
  text: `
UPDATE tasks
   SET phase = 'queued', lease_until = NULL, worker_id = NULL, tries = tries + CASE WHEN $4::boolean THEN 1 ELSE 0 END,
       due_at = now() + make_interval(secs => $3::float8 / 1000)
 WHERE id = $1 AND status = 'pending' AND phase = 'running' AND attempt = $2
RETURNING id`,
};

/** Puts a task back into the queue; false when it has ended or belongs to another attempt. Safe to repeat after any error. */
export async function releaseTask(db: Pick<Database, 'run'>, release: TaskRelease): Promise<boolean> {
  const { taskId, attempt, delayMs, burnsTry } = release;
  const rows = await db.run(RELEASE_TASK, [taskId, attempt, delayMs, burnsTry]);
  return rows.length > 0;
}
