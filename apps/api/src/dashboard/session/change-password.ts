import { AppError } from '@image-gateway/shared/errors';
import Joi from 'joi';
import { checkPassword } from '../../operations/user/check-password.js';
import type { Auth } from '../auth/create-auth.js';
import type { DeviceCookies } from '../auth/device-cookies.js';
import { getSessionClient } from '../auth/get-session-client.js';
import type { SignInLimits } from '../auth/sign-in-limits.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import type { UserHandler } from '../route.js';

const changePasswordBody: Joi.ObjectSchema<{ current: string; next: string }> = Joi.object({
  current: Joi.string().max(1000).required().messages({ '*': 'Enter your current password.' }),
  next: Joi.string().max(1000).required().messages({ '*': 'Enter a new password.' }),
}).required();

/** `POST /dashboard/api/password`: changes the user's password and ends all other sessions. */
export function changePassword(deps: {
  readonly auth: Auth;
  readonly devices: DeviceCookies;
  readonly limits: SignInLimits;
}): UserHandler<'post /password'> {
  return async (call) => {
    const { current, next } = readBody(changePasswordBody, call.body);
    checkPassword(next);
    const { userId, sessionId, email } = call.user;
    // A session is as good as a browser in which the user has logged in before.
    const attempt = { ip: call.ip, email, device: { userId, id: sessionId } };
    await deps.limits.admit(attempt);
    const changed = await deps.auth.changePassword(getSessionClient(call), current, next);
    if (!changed) {
      await deps.limits.countFailure(attempt);
      throw new AppError('VALIDATION_ERROR', { publicMessage: 'The current password is wrong.' });
    }
    return dataReply({}, { 'Set-Cookie': [...changed.cookies, ...(await deps.devices.issue(email))] });
  };
}
