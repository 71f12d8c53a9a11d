import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { listSessions as findSessions } from '../../operations/user/list-sessions.js';
import { dataReply } from '../data-reply.js';
import type { UserHandler } from '../route.js';

/** `GET /dashboard/api/sessions`: where the user is logged in. */
export function listSessions({
  db,
}: {
  readonly db: Pick<PrismaDatabase, 'prisma'>;
}): UserHandler<'get /sessions'> {
  return async ({ user }) => dataReply(await findSessions(db, user));
}
