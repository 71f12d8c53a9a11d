import type { BetterAuthPlugin } from 'better-auth';
import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import Joi from 'joi';

const body: Joi.ObjectSchema<{ userId: string }> = Joi.object({ userId: Joi.string().required() });

/**
 * Plugin of the library that opens a session of a user whose password was right. Its own sign-in refuses e-mail addresses that
 * are good elsewhere here, such as `a&b@example.com`. No request reaches it: the library serves no path.
 */
export const sessionOpener = {
  id: 'session-opener',
  endpoints: {
    openSession: createAuthEndpoint('/open-session', { method: 'POST', body }, async (call) => {
      const { internalAdapter } = call.context;
      const user = await internalAdapter.findUserById(call.body.userId);
      if (!user) {
        throw new Error('a user who has just been found is gone');
      }
      const session = await internalAdapter.createSession(user.id);
      await setSessionCookie(call, { session, user });
      return null;
    }),
  },
} satisfies BetterAuthPlugin;
