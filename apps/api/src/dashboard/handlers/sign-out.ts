import type { Handler } from '../../http/call.js';
import type { Auth } from '../auth/create-auth.js';
import { visitorOf } from '../auth/visitor-of.js';
import { dataReply } from '../data-reply.js';

/** `POST /dashboard/api/sign-out`: ends the session, if there is one. */
export function signOut({ auth }: { readonly auth: Auth }): Handler {
  return async (call) => {
    const { cookies } = await auth.signOut(visitorOf(call));
    return dataReply({}, { 'Set-Cookie': cookies });
  };
}
