import type { DashboardRole } from '@image-gateway/shared/contract';
import type { Database, Statement } from '@image-gateway/shared/db';
import type { Viewer } from '../call.js';

interface Row {
  readonly email: string;
  readonly role: DashboardRole;
  readonly accountId: string | null;
  readonly accountStatus: 'active' | 'suspended' | null;
}

const FIND_VIEWER: Statement = {
  name: 'find-viewer',
  text: `
SELECT u.email, u.role, a.id AS "accountId", a.status AS "accountStatus"
  FROM auth_users u LEFT JOIN account_users o ON o.user_id = u.id LEFT JOIN accounts a ON a.id = o.account_id
 WHERE u.id = $1 AND NOT u.banned`,
};

/** Finds who a session belongs to, with the state of the account at this very moment; null for a user who is gone or locked out. */
export async function findViewer(
  db: Pick<Database, 'run'>,
  session: { readonly id: string; readonly userId: string },
): Promise<Viewer | null> {
  const [row] = await db.run<Row>(FIND_VIEWER, [session.userId]);
  if (!row) return null;
  const { email, role, accountId, accountStatus } = row;
  const account =
    accountId !== null && accountStatus !== null ? { id: accountId, status: accountStatus } : null;
  return { userId: session.userId, sessionId: session.id, email, role, account };
}
