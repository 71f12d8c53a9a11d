import { AppError } from '@image-gateway/shared/errors';
import type { Handler } from '../../http/call.js';
import type { Auth } from '../auth/create-auth.js';
import type { SignInLimits } from '../auth/sign-in-limits.js';
import { visitorOf } from '../auth/visitor-of.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import { credentialsSchema } from './credentials-schema.js';

/** `POST /dashboard/api/sign-in`: opens a session; an unknown address and a wrong password are told alike. */
export function signIn(deps: { readonly auth: Auth; readonly limits: SignInLimits }): Handler {
  return async (call) => {
    const { email, password } = readBody(credentialsSchema, call.body);
    await deps.limits.admit(call.ip, email);
    const opened = await deps.auth.signIn(visitorOf(call), email.trim(), password);
    if (!opened) {
      await deps.limits.countFailure(call.ip, email);
      throw new AppError('UNAUTHORIZED', { publicMessage: 'The e-mail address or the password is wrong.' });
    }
    return dataReply({}, { 'Set-Cookie': opened.cookies });
  };
}
