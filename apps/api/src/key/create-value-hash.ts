import { createHmac, hkdfSync } from 'node:crypto';
import type { HashValue } from '@image-gateway/shared/billing';
import { AppError } from '@image-gateway/shared/errors';

const BYTES = 16;

/**
 * Creates the hash that counters of caps by value are kept by. Its key comes from `secret` (the first of
 * AUTH_SECRET), so that nobody can guess values by the database alone.
 */
export function createValueHash(secret: string | undefined): HashValue {
  const key =
    secret === undefined
      ? null
      : Buffer.from(hkdfSync('sha256', secret, '', 'image-gateway caps by value', 32));
  return (accountId, name, value) => {
    if (key === null) {
      throw new AppError('INTERNAL_ERROR', {
        message: 'a key has a cap by value, and AUTH_SECRET is not set: it keys the counters of such caps',
      });
    }
    return createHmac('sha256', key)
      .update(JSON.stringify([accountId, name, value]))
      .digest('hex')
      .slice(0, 2 * BYTES);
  };
}
