import { AppError } from '@image-gateway/shared/errors';

/** Takes the token out of the `Authorization` headers of a request; throws AppError `UNAUTHORIZED` with the contract's messages. */
export function parseBearer(headers: readonly string[]): string {
  const [header, ...more] = headers;
  if (header === undefined)
    throw new AppError('UNAUTHORIZED', { publicMessage: 'Missing Authorization header' });
  const token = /^bearer +([^\s]+)$/i.exec(header)?.[1];
  if (token === undefined || more.length > 0)
    throw new AppError('UNAUTHORIZED', {
      publicMessage: 'Invalid Authorization header: the expected format is Bearer <token>',
    });
  return token;
}
