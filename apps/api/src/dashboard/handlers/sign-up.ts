import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { createAccount } from '../../commands/create-account.js';
import type { Handler } from '../../http/call.js';
import type { Auth } from '../auth/create-auth.js';
import type { SignInLimits } from '../auth/sign-in-limits.js';
import { visitorOf } from '../auth/visitor-of.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import { credentialsSchema } from './credentials-schema.js';

/** What signing up needs. */
export interface SignUpDeps {
  readonly auth: Auth;
  readonly db: Database;
  readonly limits: SignInLimits;
  readonly allowSignup: boolean;
}

/** `POST /dashboard/api/sign-up`: makes a log-in and its account, without money, and opens a session. */
export function signUp({ auth, db, limits, allowSignup }: SignUpDeps): Handler {
  return async (call) => {
    if (!allowSignup)
      throw new AppError('FORBIDDEN', { publicMessage: 'New accounts are made by the operator here.' });
    const { email, password } = readBody(credentialsSchema, call.body);
    await limits.admit(call.ip, email);
    await createAccount({ db }, { email, password, openingMicros: 0n, actor: 'sign-up' });
    const opened = await auth.signIn(visitorOf(call), email.trim(), password);
    if (!opened) throw new Error('a log-in that was just made does not work');
    return dataReply({}, { 'Set-Cookie': opened.cookies });
  };
}
