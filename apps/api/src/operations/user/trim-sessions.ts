import type { Database, Statement } from '@image-gateway/shared/db';

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
