import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import type { Handler } from '../../http/call.js';
import { endOtherSessions as endSessions } from '../../operations/user/end-other-sessions.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `POST /dashboard/api/sessions/end-others`: logs the viewer out everywhere but here. */
export function endOtherSessions({
  db,
}: {
  readonly db: Pick<PrismaDatabase, 'prisma'>;
}): Handler<ViewerCall> {
  return async ({ viewer }) => dataReply(await endSessions(db, viewer));
}
