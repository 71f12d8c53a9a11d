import type { SessionItem } from '@image-gateway/shared/contract';
import type { Database, Statement } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';

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

/** Maximum of sessions of one user; the ones that were used longest ago end first. */
export const MAX_SESSIONS = 50;

const TRIM_SESSIONS: Statement = {
  name: 'trim-sessions',
  text: `
DELETE FROM auth_sessions s USING (
  SELECT id, expires_at, row_number() OVER (ORDER BY updated_at DESC, id DESC) AS place FROM auth_sessions WHERE user_id = $1) ranked
 WHERE s.id = ranked.id AND (ranked.place > ${MAX_SESSIONS} OR ranked.expires_at < now())`,
};

/** Ends the sessions of a user that have expired or are more than a user may have. */
export async function trimSessions(db: Pick<Database, 'run'>, userId: string): Promise<void> {
  await db.run(TRIM_SESSIONS, [userId]);
}
