import type { Database } from '@image-gateway/shared/db';
import { requeueTask } from '../../../operations/task/requeue-task.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

/** `POST /dashboard/api/operator/tasks/{id}/requeue`: a queued task gets all its tries again and is due now. */
export function requeue({ db }: { readonly db: Database }): UserHandler<'post /operator/tasks/:id/requeue'> {
  return async ({ user, params: { id = '' } }) => {
    await requeueTask({ db }, { taskId: id, actor: user.email });
    return dataReply({});
  };
}
