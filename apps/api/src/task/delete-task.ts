import { type Database, deleteEndedTask, type TaskToDelete } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

/**
 * Deletes a finished task with its prompt, input URLs and images. Throws AppError: `NOT_FOUND`, also for a task of another
 * account, and `BAD_REQUEST` for a pending one.
 */
export async function deleteTask(
  db: Pick<Database, 'run'>,
  { taskId, accountId, actor }: Pick<TaskToDelete, 'taskId' | 'accountId'> & { readonly actor: string },
): Promise<void> {
  const audit = { id: newId('aud'), detail: { actor } };
  const outcome = await deleteEndedTask(db, { taskId, accountId, audit });
  if (outcome === 'unknown') {
    throw notFound('task', taskId);
  }
  if (outcome === 'pending') {
    throw new AppError('BAD_REQUEST', { publicMessage: `task ${taskId} is pending: cancel it first` });
  }
}
