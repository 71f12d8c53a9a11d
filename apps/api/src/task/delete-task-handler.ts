import type { TaskDeletion, TaskToDelete } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { isId } from '@image-gateway/shared/ids';
import type { Handler, KeyCall } from '../http/framework/call.js';
import type { EndedTasks } from './shown-tasks.js';

/** Dependencies of the handler. */
export interface DeleteTaskDeps {
  readonly deleteTask: (task: TaskToDelete) => Promise<TaskDeletion>;
  readonly ended: EndedTasks;
}

/**
 * `DELETE /v1/tasks/{id}`: deletes a finished task of the caller's account with its prompt, input URLs and images; what it cost
 * stays in usage and ledger.
 */
export function deleteTaskHandler({ deleteTask, ended }: DeleteTaskDeps): Handler<KeyCall> {
  return async ({ caller, params: { id = '' } }) => {
    const outcome = isId('gen', id)
      ? await deleteTask({ taskId: id, accountId: caller.accountId })
      : 'unknown';
    ended.delete(id);
    if (outcome === 'pending') {
      throw new AppError('BAD_REQUEST', {
        publicMessage: 'The task is pending. Cancel it, or wait for its end, and delete it then.',
      });
    }
    if (outcome === 'unknown') {
      throw new AppError('NOT_FOUND', { publicMessage: 'There is no such task.' });
    }
    return { status: 204 };
  };
}
