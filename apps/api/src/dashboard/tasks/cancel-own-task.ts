import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { cancelTask } from '../../operations/task/cancel-task.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `POST /dashboard/api/tasks/{id}/cancel`: ends an own task, at once or with its open calls. */
export function cancelOwnTask(deps: {
  readonly db: PrismaDatabase;
  readonly fileUrl: string;
}): OwnerHandler<'post /tasks/:id/cancel'> {
  return async ({ accountId, user, params: { id = '' } }) => {
    await cancelTask(deps, { taskId: id, accountId, actor: user.email });
    return dataReply({});
  };
}
