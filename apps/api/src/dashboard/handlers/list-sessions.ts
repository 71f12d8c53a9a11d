import type { SessionItem } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../http/call.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';

/** `GET /dashboard/api/sessions`: where the viewer is logged in. */
export function listSessions({ db }: { readonly db: Pick<Database, 'prisma'> }): Handler<ViewerCall> {
  return async ({ viewer }) => {
    const sessions = await db.prisma.authSession.findMany({
      where: { userId: viewer.userId, expiresAt: { gt: new Date() } },
      orderBy: { updatedAt: 'desc' },
      take: 50,
    });
    return dataReply(
      sessions.map(
        (session): SessionItem => ({
          id: session.id,
          is_current: session.id === viewer.sessionId,
          ip_address: session.ipAddress || null,
          user_agent: session.userAgent || null,
          created_at: session.createdAt.toISOString(),
          expires_at: session.expiresAt.toISOString(),
        }),
      ),
    );
  };
}
