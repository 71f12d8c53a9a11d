import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { createAccount, EmailTakenError } from '../../operations/account/create-account.js';
import type { SignInLimits } from '../auth/sign-in-limits.js';
import { dataReply } from '../data-reply.js';
import { readBody } from '../read-body.js';
import type { OpenHandler } from '../route.js';
import { credentialsSchema } from './credentials-schema.js';

/** Dependencies of signing up. */
export interface SignUpDeps {
  readonly db: Database;
  readonly limits: SignInLimits;
  readonly allowSignup: boolean;
}

/** Longer than the work takes, which tells by its length otherwise whether anything was written. */
const MIN_RESPONSE_MS = 400;

/**
 * `POST /dashboard/api/sign-up`: makes a log-in and its account, without money. Answers alike, and after the same time, for an
 * address that has an account already and is left alone. Opens no session: the log-in that follows shows whose password it is.
 */
export function signUp({ db, limits, allowSignup }: SignUpDeps): OpenHandler<'post /sign-up'> {
  return async (call) => {
    if (!allowSignup)
      throw new AppError('FORBIDDEN', { publicMessage: 'New accounts are made by the operator here.' });
    const { email, password } = readBody(credentialsSchema, call.body);
    await limits.admit({ ip: call.ip, email, device: null });
    const answerTime = delay(MIN_RESPONSE_MS);
    try {
      await createAccount({ db }, { email, password, openingMicros: 0n, actor: 'sign-up' });
    } catch (error) {
      if (!(error instanceof EmailTakenError)) throw error;
    }
    await answerTime;
    return dataReply({});
  };
}
