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

/** Longer than the work takes, whose duration would otherwise reveal whether an account was created. */
const MIN_RESPONSE_MS = 400;

/**
 * `POST /dashboard/api/sign-up`: creates a user and an account without money. The response, and its time, are the same for an
 * address that already has an account, which stays as it is. Opens no session: the user logs in next.
 */
export function signUp({ db, limits, allowSignup }: SignUpDeps): OpenHandler<'post /sign-up'> {
  return async (call) => {
    if (!allowSignup) {
      throw new AppError('FORBIDDEN', { publicMessage: 'Ask the operator of this gateway for an account.' });
    }
    const { email, password } = readBody(credentialsSchema, call.body);
    await limits.admit({ ip: call.ip, email, device: null });
    const answerTime = delay(MIN_RESPONSE_MS);
    try {
      await createAccount({ db }, { email, password, openingMicros: 0n, actor: 'sign-up' });
    } catch (error) {
      if (!(error instanceof EmailTakenError)) {
        throw error;
      }
    }
    await answerTime;
    return dataReply({});
  };
}
