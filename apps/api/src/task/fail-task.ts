import { settleTask } from '@image-gateway/shared/billing';
import { MAX_REASON_LENGTH } from '@image-gateway/shared/contract';
import { type Database, findTask } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

/** Task to end and the reason that its owner reads. */
export interface TaskToFail {
  readonly taskId: string;
  /** Public; 1 to 400 characters. */
  readonly reason: string;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

const MAX_TRIES = 50;

/**
 * Ends a pending task, queued or running, as failed at no cost; its stored images are deleted later. When a worker claims the
 * task at the same moment, the settlement is retried with the new attempt. Throws AppError `NOT_FOUND`, `VALIDATION_ERROR`
 * for a bad reason, `BAD_REQUEST` for an ended task, and `SERVICE_UNAVAILABLE` when the attempt keeps changing.
 */
export async function failTask(
  { db, fileUrl }: { readonly db: Database; readonly fileUrl: string },
  { taskId, reason: given, actor }: TaskToFail,
): Promise<void> {
  const reason = given.trim();
  if (reason === '' || [...reason].length > MAX_REASON_LENGTH) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `A reason has 1 to ${MAX_REASON_LENGTH} characters; the owner of the task reads it.`,
    });
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const task = await findTask(db, taskId);
    if (!task) {
      throw notFound('task', taskId);
    }
    if (task.status !== 'pending') {
      throw new AppError('BAD_REQUEST', {
        publicMessage: `Task ${taskId} is ${task.status} and cannot be changed.`,
      });
    }
    const audit = { actor, reason };
    const input = { taskId, attempt: task.attempt, reason, discardImages: true, audit };
    const settlement = await settleTask({ db, newId, fileUrl }, input);
    if (settlement.settled) {
      return;
    }
  }
  throw new AppError('SERVICE_UNAVAILABLE', {
    publicMessage: `Workers keep claiming task ${taskId}. Try again.`,
  });
}
