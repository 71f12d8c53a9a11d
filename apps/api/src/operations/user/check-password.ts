import { AppError } from '@image-gateway/shared/errors';

/** Throws AppError `VALIDATION_ERROR` unless a password has 8 to 128 characters and not only white space. */
export function checkPassword(password: string): void {
  const length = [...password].length;
  if (length < 8 || length > 128 || !/\S/.test(password)) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: 'A password has 8 to 128 characters, not only white space.',
    });
  }
}
