import { type Database, findTask, type Statement } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

const REQUEUE_TASK: Statement = {
  name: 'requeue-task',
  text: `
WITH task AS (
  UPDATE tasks SET tries = 0, due_at = now() WHERE id = $1 AND status = 'pending' AND phase = 'queued' RETURNING id),
audit AS (INSERT INTO audit_entries (id, action, subject, detail) SELECT $2, 'task.requeue', id, $3::jsonb FROM task)
SELECT id FROM task`,
};

/** Resets the tries of a queued task and makes it due now; calls and deadline stay. Throws AppError `NOT_FOUND`, `BAD_REQUEST`. */
export async function requeueTask(
  { db }: { readonly db: Database },
  { taskId, actor }: { readonly taskId: string; readonly actor: string },
): Promise<void> {
  const [requeued] = await db.run(REQUEUE_TASK, [taskId, newId('aud'), JSON.stringify({ actor })]);
  if (requeued) {
    return;
  }
  const task = await findTask(db, taskId);
  if (!task) {
    throw notFound('task', taskId);
  }
  const state = task.status === 'pending' ? 'running' : task.status;
  throw new AppError('BAD_REQUEST', {
    publicMessage: `Task ${taskId} is ${state}: only a queued task can be requeued.`,
  });
}
