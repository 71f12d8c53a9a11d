import type { Rate } from '@image-gateway/shared/config';
import type { DashboardRole } from '@image-gateway/shared/contract';
import type { Database, Statement } from '@image-gateway/shared/db';
import { toRate } from '../account/to-rate.js';

/** Who is logged in. */
export interface SessionUser {
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly role: DashboardRole;
  /** The account that an owner owns; null for operators. */
  readonly account: {
    readonly id: string;
    readonly status: 'active' | 'suspended';
    /** What an operator allows the account; null: what everybody may have. */
    readonly requests: Rate | null;
  } | null;
}

interface Row {
  readonly email: string;
  readonly role: DashboardRole;
  readonly accountId: string | null;
  readonly accountStatus: 'active' | 'suspended' | null;
  readonly maxRequests: number | null;
  readonly requestsSeconds: number | null;
}

const FIND_SESSION_USER: Statement = {
  name: 'find-session-user',
  text: `
SELECT u.email, u.role, a.id AS "accountId", a.status AS "accountStatus",
       a.key_requests_per_minute AS "maxRequests", a.requests_seconds AS "requestsSeconds"
  FROM auth_users u LEFT JOIN account_users o ON o.user_id = u.id LEFT JOIN accounts a ON a.id = o.account_id
 WHERE u.id = $1 AND NOT u.banned`,
};

/** Finds who a session belongs to, with the state of the account at this very moment; null for a user who is gone or locked out. */
export async function findSessionUser(
  db: Pick<Database, 'run'>,
  session: { readonly id: string; readonly userId: string },
): Promise<SessionUser | null> {
  const [row] = await db.run<Row>(FIND_SESSION_USER, [session.userId]);
  if (!row) return null;
  const { email, role, accountId, accountStatus, maxRequests, requestsSeconds } = row;
  const account =
    accountId !== null && accountStatus !== null
      ? { id: accountId, status: accountStatus, requests: toRate(maxRequests, requestsSeconds) }
      : null;
  return { userId: session.userId, sessionId: session.id, email, role, account };
}
