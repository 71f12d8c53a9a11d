import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../http/framework/call.js';
import { endOtherSessions as endSessions } from '../../operations/user/end-other-sessions.js';
import { dataReply } from '../data-reply.js';
import type { UserCall } from '../route.js';

/** `POST /dashboard/api/sessions/end-others`: logs the user out everywhere but here. */
export function endOtherSessions({ db }: { readonly db: Pick<PrismaDatabase, 'prisma'> }): Handler<UserCall> {
  return async ({ user }) => dataReply(await endSessions(db, user));
}
