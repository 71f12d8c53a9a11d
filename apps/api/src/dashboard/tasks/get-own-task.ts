import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { findOwnTaskDetail } from '../../operations/task/find-own-task-detail.js';
import { dataReply } from '../data-reply.js';
import type { OwnerHandler } from '../route.js';

/** `GET /dashboard/api/tasks/{id}`: an own task with everything that its owner may know; another account's is as unknown as none. */
export function getOwnTask(deps: {
  readonly db: PrismaDatabase;
  readonly fileUrl: string;
  readonly retentionDays: number | undefined;
}): OwnerHandler<'get /tasks/:id'> {
  return async ({ accountId, params: { id = '' } }) =>
    dataReply(await findOwnTaskDetail(deps, { accountId, id }));
}
