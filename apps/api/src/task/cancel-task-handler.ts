import { cancelTask, type SettleDeps } from '@image-gateway/shared/billing';
import { type Envelope, ok } from '@image-gateway/shared/contract';
import type { FindShownTask } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { isId } from '@image-gateway/shared/ids';
import { presentTask } from '@image-gateway/shared/presenters';
import type { PublicTask } from '@image-gateway/shared/task/schema';
import type { Handler, KeyCall } from '../http/framework/call.js';
import { maySeeTask, requireScope } from '../http/keys/key-rights.js';
import type { TaskWaits } from './waiting/create-task-waits.js';

/** Dependencies of the handler. */
export interface CancelTaskDeps {
  readonly settle: SettleDeps;
  readonly findTask: FindShownTask;
  readonly waits: TaskWaits;
  readonly fileUrl: string;
}

/**
 * `POST /v1/tasks/{id}/cancel`: ends a task of the caller's account, at once or with its open calls; an ended task stays as it
 * is. Tasks of other keys need the scope `delete`.
 */
export function cancelTaskHandler(deps: CancelTaskDeps): Handler<KeyCall, Envelope<PublicTask>> {
  return async (call) => {
    const { caller } = call;
    const { accountId } = caller;
    const taskId = call.params.id ?? '';
    const found = isId('gen', taskId) ? await deps.findTask(taskId, accountId) : null;
    if (!found || !(maySeeTask(caller, found) || caller.scopes.includes('delete'))) {
      throw new AppError('NOT_FOUND', { publicMessage: 'There is no such task.' });
    }
    if (found.apiKeyId !== caller.apiKeyId) {
      requireScope(caller, ['delete']);
    }
    const outcome = await cancelTask(deps.settle, { taskId, accountId });
    const task = outcome === 'unknown' ? null : await deps.findTask(taskId, accountId);
    if (!task) {
      throw new AppError('NOT_FOUND', { publicMessage: 'There is no such task.' });
    }
    deps.waits.hear(taskId);
    return {
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      json: ok(presentTask(task, deps.fileUrl)),
    };
  };
}
