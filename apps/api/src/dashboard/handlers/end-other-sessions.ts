import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../http/call.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `POST /dashboard/api/sessions/end-others`: logs the viewer out everywhere but here. */
export function endOtherSessions({ db }: { readonly db: Pick<Database, 'prisma'> }): Handler<ViewerCall> {
  return async ({ viewer }) => {
    const { count } = await db.prisma.authSession.deleteMany({
      where: { userId: viewer.userId, id: { not: viewer.sessionId } },
    });
    return dataReply({ ended: count });
  };
}
