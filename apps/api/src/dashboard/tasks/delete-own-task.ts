import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { deleteTask } from '../../operations/task/delete-task.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `POST /dashboard/api/tasks/{id}/delete`: deletes an own task that has ended. */
export function deleteOwnTask({
  db,
}: {
  readonly db: PrismaDatabase;
}): OwnerHandler<'post /tasks/:id/delete'> {
  return async ({ accountId, user, params: { id = '' } }) => {
    await deleteTask(db, { taskId: id, accountId, actor: user.email });
    return dataReply({});
  };
}
