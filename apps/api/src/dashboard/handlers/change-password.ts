import { AppError } from '@image-gateway/shared/errors';
import Joi from 'joi';
import { checkPassword } from '../../commands/check-password.js';
import type { Handler } from '../../http/call.js';
import type { Auth } from '../auth/create-auth.js';
import type { SignInLimits } from '../auth/sign-in-limits.js';
import { visitorOf } from '../auth/visitor-of.js';
import type { ViewerCall } from '../call.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';

/** What is sent. */
export const changePasswordBody: Joi.ObjectSchema<{ current: string; next: string }> = Joi.object({
  current: Joi.string().max(1000).required().messages({ '*': 'Enter your current password.' }),
  next: Joi.string().max(1000).required().messages({ '*': 'Enter a new password.' }),
}).required();

/** `POST /dashboard/api/password`: changes the viewer's password and logs them out everywhere else. */
export function changePassword(deps: {
  readonly auth: Auth;
  readonly limits: SignInLimits;
}): Handler<ViewerCall> {
  return async (call) => {
    const { current, next } = readBody(changePasswordBody, call.body);
    checkPassword(next);
    await deps.limits.admit(call.ip, call.viewer.email);
    const changed = await deps.auth.changePassword(visitorOf(call), current, next);
    if (!changed) {
      await deps.limits.countFailure(call.ip, call.viewer.email);
      throw new AppError('VALIDATION_ERROR', { publicMessage: 'The current password is wrong.' });
    }
    return dataReply({}, { 'Set-Cookie': changed.cookies });
  };
}
