import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../http/framework/call.js';
import { listSessions as findSessions } from '../../operations/user/list-sessions.js';
import { dataReply } from '../data-reply.js';
import type { UserCall } from '../route.js';

/** `GET /dashboard/api/sessions`: where the user is logged in. */
export function listSessions({ db }: { readonly db: Pick<PrismaDatabase, 'prisma'> }): Handler<UserCall> {
  return async ({ user }) => dataReply(await findSessions(db, user));
}
