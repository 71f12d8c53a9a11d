import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../../http/framework/call.js';
import { requeueTask } from '../../../operations/task/requeue-task.js';
import { dataReply } from '../../data-reply.js';
import type { UserCall } from '../../route.js';

/** `POST /dashboard/api/operator/tasks/{id}/requeue`: a queued task gets all its tries again and is due now. */
export function requeue({ db }: { readonly db: Database }): Handler<UserCall> {
  return async ({ user, params: { id = '' } }) => {
    await requeueTask({ db }, { taskId: id, actor: user.email });
    return dataReply({});
  };
}
