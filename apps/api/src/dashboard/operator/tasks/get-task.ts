import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { findTaskDetail } from '../../../operations/task/find-task-detail.js';
import { dataReply } from '../../data-reply.js';
import type { UserHandler } from '../../route.js';

/** `GET /dashboard/api/operator/tasks/{id}`: what `task show` of the command line gives, without what the customer wrote. */
export function getTask({ db }: { readonly db: PrismaDatabase }): UserHandler<'get /operator/tasks/:id'> {
  return async ({ params: { id = '' } }) => dataReply(await findTaskDetail(db, id, { verbose: false }));
}
