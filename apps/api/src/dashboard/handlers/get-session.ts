import type { DashboardSession } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import type { Handler } from '../../http/call.js';
import { findSessionUser } from '../../operations/user/find-session-user.js';
import type { Auth } from '../auth/create-auth.js';
import { visitorOf } from '../auth/visitor-of.js';
import { dataReply } from '../data-reply.js';

/** What every page needs to know of this gateway. */
export interface SessionDeps {
  readonly auth: Auth;
  readonly db: Database;
  readonly allowSignup: boolean;
  readonly baseUrl: string;
  readonly fileUrl: string;
}

/** `GET /dashboard/api/session`: who is logged in; nobody is an answer too, not an error. */
export function getSession({ auth, db, allowSignup, baseUrl, fileUrl }: SessionDeps): Handler {
  return async (call) => {
    const { cookies, session } = await auth.find(visitorOf(call));
    const viewer = session && (await findSessionUser(db, session));
    const data: DashboardSession = {
      user: viewer && { id: viewer.userId, email: viewer.email, role: viewer.role },
      account: viewer?.account ? { id: viewer.account.id, status: viewer.account.status } : null,
      allow_signup: allowSignup,
      base_url: baseUrl,
      file_url: fileUrl,
    };
    return dataReply(data, cookies.length > 0 ? { 'Set-Cookie': cookies } : {});
  };
}
