import { AppError } from '@image-gateway/shared/errors';

/** Maximum of active keys of one account. */
export const MAX_ACTIVE_KEYS = 100;

/** Creates the error for an account with the maximum of active keys. */
export function createTooManyKeysError(): AppError {
  return new AppError('BAD_REQUEST', {
    publicMessage: `An account has at most ${MAX_ACTIVE_KEYS} active keys. Revoke an unused key first.`,
  });
}
