import type { Database, Statement } from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { newId } from '@image-gateway/shared/ids';
import type { SessionItem } from '@image-gateway/shared/user/schema';

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

/** Session of a user, and where it is used. */
export interface UsedSession {
  readonly userId: string;
  readonly sessionId: string;
  /** Canonical address of the client. */
  readonly ip: string;
}

// The author is the user, by the address that stands in the log-in.
const END_SESSIONS: Statement = {
  name: 'end-sessions',
  text: `
WITH ended AS (DELETE FROM auth_sessions WHERE user_id = $1 AND (id = $2) = $3::boolean RETURNING id),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $4, CASE WHEN $3::boolean THEN 'user.sign-out' ELSE 'user.end-sessions' END, u.id,
         jsonb_build_object('actor', u.email, 'address', $5::text, 'sessions', e.sessions)
    FROM auth_users u, (SELECT count(*) AS sessions FROM ended) e WHERE u.id = $1 AND e.sessions > 0)
SELECT id FROM ended`,
};

/** Ends a session, with its entry in the audit log. */
export async function endSession(
  db: Pick<Database, 'run'>,
  { userId, sessionId, ip }: UsedSession,
): Promise<void> {
  await db.run(END_SESSIONS, [userId, sessionId, true, newId('aud'), ip]);
}

/** Ends all sessions of a user except one, with an entry in the audit log, and returns their number. */
export async function endOtherSessions(
  db: Pick<Database, 'run'>,
  { userId, sessionId, ip }: UsedSession,
): Promise<{ readonly ended: number }> {
  const ended = await db.run(END_SESSIONS, [userId, sessionId, false, newId('aud'), ip]);
  return { ended: ended.length };
}

/** Maximum of sessions of one user; the ones that were used longest ago end first. */
export const MAX_SESSIONS = 50;

const NOTE_SIGN_IN: Statement = {
  name: 'note-sign-in',
  text: `
WITH surplus AS (
  DELETE FROM auth_sessions s USING (
    SELECT id, expires_at, row_number() OVER (ORDER BY updated_at DESC, id DESC) AS place FROM auth_sessions WHERE user_id = $1) ranked
   WHERE s.id = ranked.id AND (ranked.place > ${MAX_SESSIONS} OR ranked.expires_at < now()))
INSERT INTO audit_entries (id, action, subject, detail)
SELECT $2, 'user.sign-in', id, jsonb_build_object('actor', email, 'address', $3::text) FROM auth_users WHERE id = $1`,
};

/** Writes a log-in into the audit log, and ends the sessions of its user that have expired or are more than a user may have. */
export async function noteSignIn(
  db: Pick<Database, 'run'>,
  { userId, ip }: Pick<UsedSession, 'userId' | 'ip'>,
): Promise<void> {
  await db.run(NOTE_SIGN_IN, [userId, newId('aud'), ip]);
}
