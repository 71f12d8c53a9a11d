import { cancelTask as cancel } from '@image-gateway/shared/billing';
import type { PublicTask } from '@image-gateway/shared/contract';
import { type Database, findTask } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { presentTask } from '@image-gateway/shared/presenters';

/** Task to cancel. */
export interface TaskToCancel {
  readonly taskId: string;
  /** Owner of the task; null for operators. */
  readonly accountId: string | null;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

/** Cancels a task and returns it as it then is: pending while calls are open. Throws AppError `NOT_FOUND`, also for a task of another account. */
export async function cancelTask(
  { db, fileUrl }: { readonly db: Database; readonly fileUrl: string },
  { taskId, accountId, actor }: TaskToCancel,
): Promise<PublicTask> {
  const outcome = await cancel({ db, newId, fileUrl }, { taskId, accountId, audit: { actor } });
  const task = outcome === 'unknown' ? null : await findTask(db, taskId);
  if (!task) {
    throw notFound('task', taskId);
  }
  return presentTask(task, fileUrl);
}
