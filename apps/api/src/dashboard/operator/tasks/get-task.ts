import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../../http/framework/call.js';
import { findTaskDetail } from '../../../operations/task/find-task-detail.js';
import { dataReply } from '../../data-reply.js';
import type { UserCall } from '../../route.js';

/** `GET /dashboard/api/operator/tasks/{id}`: what `task show` of the command line gives, without what the customer wrote. */
export function getTask({ db }: { readonly db: PrismaDatabase }): Handler<UserCall> {
  return async ({ params: { id = '' } }) => dataReply(await findTaskDetail(db, id, { verbose: false }));
}
