import { AppError, toAppError } from '@image-gateway/shared/errors';
import { nothing } from '@image-gateway/shared/schema';
import { changeEmailBody, confirmBody, forgotBody, resetBody } from '@image-gateway/shared/user/schema';
import { signUp } from '../account/sign-up.js';
import type { DashboardDeps } from '../dashboard-deps.js';
import { defineRoute, users, visitors } from '../http/define-route.js';
import { requirePassword } from '../http/session/require-password.js';
import type { LinkMail } from './auth/create-link-mail.js';
import { changeEmailByToken } from './change-email.js';
import { checkEmail } from './check-email.js';
import { findPasswordUser } from './find-password-user.js';
import { resetByToken, useSignUpToken } from './mail-tokens.js';
import { checkPassword, hashPassword } from './passwords.js';

/**
 * Routes of links that were mailed: a new password, and the confirmation of a sign-up and of a new address. Tokens are in the
 * fragment of a link, which no server sees.
 */
export function mailRoutes(deps: DashboardDeps) {
  const { db, limits } = deps;
  /** Counts guesses by the link: those at the log-in of its address do not lock it. */
  const judge = async (ip: string, token: string, use: () => Promise<void>): Promise<void> => {
    const attempt = { ip, email: token, device: null };
    await limits.admit(attempt);
    try {
      await use();
    } catch (error) {
      if (toAppError(error).code === 'VALIDATION_ERROR') {
        await limits.countFailure(attempt);
      }
      throw error;
    }
  };
  return [
    // The same answer for an unknown address.
    defineRoute({
      ...visitors,
      method: 'post',
      path: '/password/forgot',
      summary: 'Ask for the mail that sets a new password',
      response: nothing,

      body: forgotBody,
      run: async ({ ip, input: { email } }) => {
        const mail = requireMail(deps, 'give you a new password');
        await mail.admit(ip);
        await mail.add({ kind: 'reset', address: email.trim().toLowerCase() });
      },
    }),
    defineRoute({
      ...visitors,
      method: 'post',
      path: '/password/reset',
      summary: 'Set a new password by a mailed link',
      response: nothing,
      body: resetBody,
      run: ({ input }) => resetByToken(db, input),
    }),
    defineRoute({
      ...visitors,
      method: 'post',
      path: '/sign-up/confirm',
      summary: 'Confirm a sign-up by its mailed link',
      response: nothing,

      body: confirmBody,
      run: async ({ ip, input: { token, password } }) => {
        requireSignUp(deps);
        await judge(ip, token, async () => {
          const logIn = await useSignUpToken(db, { token, password });
          await signUp(db, deps.signupCredit, { ...logIn, ip });
        });
      },
    }),
    // The same answer for an address that somebody has, who is told so by mail.
    defineRoute({
      ...users,
      method: 'post',
      path: '/email',
      summary: 'Ask for the mail that confirms a new address of the own log-in',
      response: nothing,

      body: changeEmailBody,
      run: async (call) => {
        const { user, ip, input } = call;
        const mail = requireMail(deps, 'change your address');
        await requirePassword(deps, call, input.password);
        const address = checkEmail(input.email);
        const found = await findPasswordUser(db, user.email);
        if (address === user.email || !found) {
          throw new AppError('VALIDATION_ERROR', { publicMessage: 'This is your address already.' });
        }
        await mail.admit(ip);
        await mail.add({ kind: 'email', address, userId: found.id, passwordHash: found.password });
      },
    }),
    defineRoute({
      ...visitors,
      method: 'post',
      path: '/email/confirm',
      summary: 'Change the address of a log-in by its mailed link',
      response: nothing,

      body: confirmBody,
      run: ({ ip, input }) => judge(ip, input.token, () => changeEmailByToken(db, { ...input, ip })),
    }),
  ];
}

/** Mails the link that confirms a sign-up; to the address of a user, that it has an account. */
export async function mailSignUp(
  mail: LinkMail,
  { ip, email, password }: { readonly ip: string; readonly email: string; readonly password: string },
): Promise<void> {
  const address = checkEmail(email);
  checkPassword(password);
  await mail.admit(ip);
  await mail.add({ kind: 'sign-up', address, passwordHash: await hashPassword(password) });
}

/** Throws AppError `FORBIDDEN` where nobody may sign up. */
export function requireSignUp({ allowSignup }: Pick<DashboardDeps, 'allowSignup'>): void {
  if (!allowSignup) {
    throw new AppError('FORBIDDEN', { publicMessage: 'Ask the operator of this gateway for an account.' });
  }
}

function requireMail({ mail }: Pick<DashboardDeps, 'mail'>, verb: string): LinkMail {
  if (!mail) {
    throw new AppError('FORBIDDEN', {
      publicMessage: `This gateway sends no mail. Its operator can ${verb}.`,
    });
  }
  return mail;
}
