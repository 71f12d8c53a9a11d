import { AppError } from '@image-gateway/shared/errors';

/** Throws AppError `VALIDATION_ERROR` unless a password has 8 to 128 characters. */
export function checkPassword(password: string): void {
  const length = [...password].length;
  if (length < 8 || length > 128) {
    throw new AppError('VALIDATION_ERROR', { publicMessage: 'A password has 8 to 128 characters.' });
  }
}
