import type { SessionItem } from '@image-gateway/shared/contract';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { MAX_SESSIONS } from './trim-sessions.js';

/** Lists the sessions of a user, the most recently used first. */
export async function listSessions(
  { prisma }: Pick<PrismaDatabase, 'prisma'>,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<SessionItem[]> {
  const sessions = await prisma.authSession.findMany({
    where: { userId, expiresAt: { gt: new Date() } },
    orderBy: { updatedAt: 'desc' },
    take: MAX_SESSIONS,
  });
  return sessions.map((session) => ({
    id: session.id,
    is_current: session.id === sessionId,
    ip_address: session.ipAddress || null,
    user_agent: session.userAgent || null,
    created_at: session.createdAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  }));
}

/** Ends all sessions of a user except one, and returns their number. */
export async function endOtherSessions(
  { prisma }: Pick<PrismaDatabase, 'prisma'>,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<{ readonly ended: number }> {
  const { count } = await prisma.authSession.deleteMany({ where: { userId, id: { not: sessionId } } });
  return { ended: count };
}
