import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { endOtherSessions as endSessions } from '../../operations/user/end-other-sessions.js';
import { dataReply } from '../data-reply.js';
import type { UserHandler } from '../route.js';

/** `POST /dashboard/api/sessions/end-others`: logs the user out everywhere but here. */
export function endOtherSessions({
  db,
}: {
  readonly db: Pick<PrismaDatabase, 'prisma'>;
}): UserHandler<'post /sessions/end-others'> {
  return async ({ user }) => dataReply(await endSessions(db, user));
}
