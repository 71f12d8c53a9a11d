import { settleTask } from '@image-gateway/shared/billing';
import { MAX_REASON_LENGTH } from '@image-gateway/shared/contract';
import { type Database, findTask } from '@image-gateway/shared/db';
import { AppError, notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';

/** Which task an operator ends, and what its owner reads. */
export interface TaskToFail {
  readonly taskId: string;
  /** Public; 1 to 400 characters. */
  readonly reason: string;
  /** Who did it, for the audit. */
  readonly actor: string;
}

const MAX_TRIES = 50;

/**
 * Ends a pending task, queued or running, as failed at no cost; images that are stored already are deleted later. A task
 * that a worker claims at the same moment is tried again with its new attempt. Throws AppError `NOT_FOUND`,
 * `VALIDATION_ERROR` for a bad reason, `BAD_REQUEST` for a task that has ended.
 */
export async function failTask(
  { db, fileUrl }: { readonly db: Database; readonly fileUrl: string },
  { taskId, reason: given, actor }: TaskToFail,
): Promise<void> {
  const reason = given.trim();
  if (reason === '' || [...reason].length > MAX_REASON_LENGTH)
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `A reason has 1 to ${MAX_REASON_LENGTH} characters; the owner of the task reads it.`,
    });
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const task = await findTask(db, taskId);
    if (!task) throw notFound('task', taskId);
    if (task.status !== 'pending')
      throw new AppError('BAD_REQUEST', {
        publicMessage: `Task ${taskId} is ${task.status} and cannot be changed.`,
      });
    const audit = { actor, reason };
    const input = { taskId, attempt: task.attempt, reason, discardImages: true, audit };
    const settlement = await settleTask({ db, newId, fileUrl }, input);
    if (settlement.settled) return;
  }
  throw new AppError('SERVICE_UNAVAILABLE', {
    publicMessage: `Task ${taskId} changes hands all the time. Try again.`,
  });
}
