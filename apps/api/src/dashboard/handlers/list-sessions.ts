import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../http/call.js';
import { listSessions as findSessions } from '../../operations/user/list-sessions.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `GET /dashboard/api/sessions`: where the viewer is logged in. */
export function listSessions({ db }: { readonly db: Pick<PrismaDatabase, 'prisma'> }): Handler<ViewerCall> {
  return async ({ viewer }) => dataReply(await findSessions(db, viewer));
}
