import type { Auth } from '../auth/create-auth.js';
import { getSessionClient } from '../auth/get-session-client.js';
import { dataReply } from '../data-reply.js';
import type { OpenHandler } from '../route.js';

/** `POST /dashboard/api/sign-out`: ends the session, if there is one. */
export function signOut({ auth }: { readonly auth: Auth }): OpenHandler<'post /sign-out'> {
  return async (call) => {
    const { cookies } = await auth.signOut(getSessionClient(call));
    return dataReply({}, { 'Set-Cookie': cookies });
  };
}
