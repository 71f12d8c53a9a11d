import { AppError } from '@image-gateway/shared/errors';
import type { MailContent } from '@image-gateway/shared/mail';
import Joi from 'joi';
import { checkEmail } from '../operations/user/check-email.js';
import {
  addResetToken,
  addSignUpToken,
  confirmSignUp,
  findUserToMail,
  resetByToken,
} from '../operations/user/mail-tokens.js';
import { checkPassword } from '../operations/user/passwords.js';
import type { LinkMail } from './auth/create-link-mail.js';
import type { DashboardDeps } from './deps.js';
import { type DashboardRoute, open } from './route.js';

const FOOTER = 'You get this mail because somebody entered your address at the dashboard of this gateway.';

const emailBody: Joi.ObjectSchema<{ email: string }> = Joi.object({
  email: Joi.string().max(254).required().messages({ '*': 'Enter an e-mail address.' }),
}).required();
const token = Joi.string().max(100).required().messages({ '*': 'The link is not complete.' });
const tokenBody: Joi.ObjectSchema<{ token: string }> = Joi.object({ token }).required();
const resetBody: Joi.ObjectSchema<{ token: string; password: string }> = Joi.object({
  token,
  password: Joi.string().max(1000).required().messages({ '*': 'Enter a new password.' }),
}).required();

/** Routes of links that were mailed: a new password, and the confirmation of a sign-up. Tokens are in the fragment of a link, which no server sees. */
export function mailRoutes(deps: DashboardDeps): readonly DashboardRoute[] {
  const { db, baseUrl } = deps;
  return [
    // The same answer for an unknown address.
    open('post /password/forgot', {
      body: emailBody,
      run: async ({ ip, input: { email } }) => {
        const mail = requireMail(deps);
        await mail.admit(ip);
        mail.sendLater(email, async () => {
          const user = await findUserToMail(db, email);
          return (
            user && {
              to: user.email,
              subject: 'Set a new password',
              paragraphs: [
                'A new password was asked for. The link below is good for an hour, once; it ends all sessions.',
                'If it was not you, ignore this mail: your password stays.',
              ],
              link: {
                label: 'Set a new password',
                url: `${baseUrl}/dashboard/reset#${await addResetToken(db, user.id)}`,
              },
              footer: FOOTER,
            }
          );
        });
      },
    }),
    open('post /password/reset', { body: resetBody, run: ({ input }) => resetByToken(db, input) }),
    open('post /sign-up/confirm', {
      body: tokenBody,
      run: async ({ ip, input: { token } }) => {
        requireSignUp(deps);
        await confirmSignUp(db, deps.signupCredit, { token, ip });
      },
    }),
  ];
}

/** Mails the link that confirms a sign-up; to the address of a user, that it has an account. */
export async function mailSignUp(
  { db, baseUrl }: Pick<DashboardDeps, 'db' | 'baseUrl'>,
  mail: LinkMail,
  { ip, email: given, password }: { readonly ip: string; readonly email: string; readonly password: string },
): Promise<void> {
  const email = checkEmail(given);
  checkPassword(password);
  await mail.admit(ip);
  mail.sendLater(email, async (): Promise<MailContent & { to: string }> => {
    if (await findUserToMail(db, email)) {
      return {
        to: email,
        subject: 'You have an account already',
        paragraphs: [
          'Somebody signed up with your address, which has an account. Nothing was changed.',
          'If you forgot your password, ask for a new one.',
        ],
        link: { label: 'Ask for a new password', url: `${baseUrl}/dashboard/forgot` },
        footer: FOOTER,
      };
    }
    return {
      to: email,
      subject: 'Confirm your address',
      paragraphs: [
        'Your account is created when you confirm this address. The link below is good for an hour, once.',
        'If you did not sign up, ignore this mail: there will be no account.',
      ],
      link: {
        label: 'Confirm the address',
        url: `${baseUrl}/dashboard/confirm#${await addSignUpToken(db, { email, password })}`,
      },
      footer: FOOTER,
    };
  });
}

/** Throws AppError `FORBIDDEN` where nobody may sign up. */
export function requireSignUp({ allowSignup }: Pick<DashboardDeps, 'allowSignup'>): void {
  if (!allowSignup) {
    throw new AppError('FORBIDDEN', { publicMessage: 'Ask the operator of this gateway for an account.' });
  }
}

function requireMail({ mail }: Pick<DashboardDeps, 'mail'>): LinkMail {
  if (!mail) {
    throw new AppError('FORBIDDEN', {
      publicMessage: 'This gateway sends no mail. Its operator can give you a new password.',
    });
  }
  return mail;
}
