import { AppError } from '@image-gateway/shared/errors';

/** Makes the error of a command line that cannot be understood; the message says what to type instead. */
export function usageError(publicMessage: string): AppError {
  return new AppError('BAD_REQUEST', { publicMessage });
}
