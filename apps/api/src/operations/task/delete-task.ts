import { type Database, deleteTask as removeTask } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

/** Task to delete. */
export interface TaskToDelete {
  readonly taskId: string;
  /** Owner of the task; null for operators. */
  readonly accountId: string | null;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Deletes a finished task with its prompt, input URLs and images. Throws AppError: `NOT_FOUND`, also for a task of another account, and `BAD_REQUEST` for a pending one. */
export async function deleteTask(
  db: Pick<Database, 'run'>,
  { taskId, accountId, actor }: TaskToDelete,
): Promise<void> {
  const audit = { id: newId('aud'), detail: { actor } };
  const outcome = await removeTask(db, { taskId, accountId, audit });
  if (outcome === 'unknown') {
    throw notFound('task', taskId);
  }
  if (outcome === 'pending') {
    throw new AppError('BAD_REQUEST', { publicMessage: `task ${taskId} is pending: cancel it first` });
  }
}
