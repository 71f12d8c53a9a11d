import { cancelTask } from '@image-gateway/shared/billing';
import type { PublicTask } from '@image-gateway/shared/contract';
import { type Database, findTask } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { presentTask } from '@image-gateway/shared/presenters';

/** Cancels a task of any account and returns it as it then is: pending while calls are open. Throws AppError `NOT_FOUND`. */
export async function cancelAnyTask(
  { db, fileUrl }: { readonly db: Database; readonly fileUrl: string },
  { taskId, actor }: { readonly taskId: string; readonly actor: string },
): Promise<PublicTask> {
  await cancelTask({ db, newId, fileUrl }, { taskId, accountId: null, audit: { actor } });
  const task = await findTask(db, taskId);
  if (!task) {
    throw notFound('task', taskId);
  }
  return presentTask(task, fileUrl);
}
