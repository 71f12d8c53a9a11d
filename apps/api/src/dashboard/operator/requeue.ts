import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../http/call.js';
import { requeueTask } from '../../operations/task/requeue-task.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `POST /dashboard/api/operator/tasks/{id}/requeue`: a queued task gets all its tries again and is due now. */
export function requeue({ db }: { readonly db: Database }): Handler<ViewerCall> {
  return async ({ viewer, params: { id = '' } }) => {
    await requeueTask({ db }, { taskId: id, actor: viewer.email });
    return dataReply({});
  };
}
