import type { FindShownTask } from '@image-gateway/shared/db';
import { isId } from '@image-gateway/shared/ids';
import { FieldError } from '../file/uploads/field-error.js';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { maySeeTask } from '../http/keys/key-rights.js';
import type { FindFullTask } from './answers/create-answer-reply.js';
import { replyAsyncTask } from './answers/present-async-task.js';

/** Dependencies of the handler. */
export interface AsyncTaskDeps {
  readonly findTask: FindShownTask;
  readonly findFullTask: FindFullTask;
  readonly fileUrl: string;
}

/** `GET /openai/v1/images/tasks/{id}`: a task of the account, for keys that may read, and for the one that submitted it. */
export function getAsyncTask({ findTask, findFullTask, fileUrl }: AsyncTaskDeps): Handler<KeyCall> {
  return async ({ caller, params: { id = '' } }) => {
    const shown = isId('gen', id) ? await findTask(id, caller.accountId) : null;
    const task = shown && maySeeTask(caller, shown) ? await findFullTask(id, caller.accountId) : null;
    if (!task) {
      throw new FieldError('NOT_FOUND', {
        reason: 'task_not_found',
        publicMessage: 'There is no such task.',
      });
    }
    return replyAsyncTask(task, fileUrl);
  };
}
