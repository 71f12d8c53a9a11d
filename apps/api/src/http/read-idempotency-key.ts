import { AppError } from '@image-gateway/shared/errors';

/**
 * Reads the `Idempotency-Key` headers of a request: at most one, of 1 to 255 visible ASCII characters; else throws AppError
 * `BAD_REQUEST`.
 */
export function readIdempotencyKey(headers: readonly string[]): string | undefined {
  const [key, ...more] = headers;
  if (key === undefined) {
    return undefined;
  }
  if (more.length > 0 || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: 'Idempotency-Key must be one header of 1 to 255 visible ASCII characters.',
    });
  }
  return key;
}
