import { AppError } from '@image-gateway/shared/errors';
import type { Auth } from '../auth/create-auth.js';
import type { DeviceCookies } from '../auth/device-cookies.js';
import { getSessionClient } from '../auth/get-session-client.js';
import type { SignInLimits } from '../auth/sign-in-limits.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import type { OpenHandler } from '../route.js';
import { credentialsSchema } from './credentials-schema.js';

/** `POST /dashboard/api/sign-in`: opens a session and marks the browser as one of the user's; an unknown address and a wrong password get the same error. */
export function signIn(deps: {
  readonly auth: Auth;
  readonly devices: DeviceCookies;
  readonly limits: SignInLimits;
}): OpenHandler<'post /sign-in'> {
  return async (call) => {
    const { email, password } = readBody(credentialsSchema, call.body);
    const browser = getSessionClient(call);
    const attempt = { ip: call.ip, email, device: await deps.devices.find(browser.cookie, email) };
    await deps.limits.admit(attempt);
    const opened = await deps.auth.signIn(browser, email, password);
    if (!opened) {
      await deps.limits.countFailure(attempt);
      throw new AppError('UNAUTHORIZED', { publicMessage: 'The e-mail address or the password is wrong.' });
    }
    return dataReply({}, { 'Set-Cookie': [...opened.cookies, ...(await deps.devices.issue(email))] });
  };
}
