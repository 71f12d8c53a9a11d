import { AppError } from '@image-gateway/shared/errors';

/** Keys of one account that work at a time. */
export const MAX_ACTIVE_KEYS = 100;

/** Makes the error for an account that has as many active keys as it may. */
export function createTooManyKeysError(): AppError {
  return new AppError('BAD_REQUEST', {
    publicMessage: `An account has at most ${MAX_ACTIVE_KEYS} active keys. Revoke one that is not needed.`,
  });
}
