import type { Rate } from '@image-gateway/shared/config';
import type { Account, AuthUser, Database, Statement } from '@image-gateway/shared/db';
import type { DashboardRole } from '@image-gateway/shared/user/schema';

/** User of a session. */
export interface SessionUser {
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly role: DashboardRole;
  /** Account of an owner; null for operators. */
  readonly account: {
    readonly id: string;
    readonly status: 'active' | 'suspended';
    readonly suspensionReason: string | null;
    /** Limit of the account; null: the setting applies. */
    readonly requests: Rate | null;
  } | null;
}

interface Row extends Readonly<Pick<AuthUser, 'email'>> {
  readonly role: DashboardRole;
  readonly accountId: Account['id'] | null;
  readonly accountStatus: 'active' | 'suspended' | null;
  readonly suspensionReason: Account['suspensionReason'];
  readonly maxRequests: Account['maxRequests'];
  readonly requestsSeconds: Account['requestsSeconds'] | null;
}

const FIND_SESSION_USER: Statement = {
  name: 'find-session-user',
  text: `
SELECT u.email, u.role, a.id AS "accountId", a.status AS "accountStatus", a.suspension_reason AS "suspensionReason",
       a.max_requests AS "maxRequests", a.requests_seconds AS "requestsSeconds"
  FROM auth_users u LEFT JOIN account_users o ON o.user_id = u.id LEFT JOIN accounts a ON a.id = o.account_id
 WHERE u.id = $1 AND NOT u.banned`,
};

/** Finds the user of a session with the current state of the account; null for a deleted or banned user. */
export async function findSessionUser(
  db: Pick<Database, 'run'>,
  session: { readonly id: string; readonly userId: string },
): Promise<SessionUser | null> {
  const [row] = await db.run<Row>(FIND_SESSION_USER, [session.userId]);
  if (!row) {
    return null;
  }
  const { email, role, accountId, accountStatus, suspensionReason, maxRequests, requestsSeconds } = row;
  const account =
    accountId !== null && accountStatus !== null
      ? {
          id: accountId,
          status: accountStatus,
          suspensionReason,
          requests:
            maxRequests === null || requestsSeconds === null
              ? null
              : { limit: maxRequests, windowSeconds: requestsSeconds },
        }
      : null;
  return { userId: session.userId, sessionId: session.id, email, role, account };
}
