import { AppError } from '@image-gateway/shared/errors';
import type { Call } from '../../http/framework/call.js';

/**
 * Throws AppError `FORBIDDEN` unless a request that changes something comes from a page of this gateway. Every browser names
 * the source of such a request in `Origin`. It must be the host of the request, or the one of `BASE_URL` behind a proxy that
 * renames it.
 */
export function checkOrigin(call: Pick<Call, 'header'>, baseUrl: string): void {
  const [origin = '', ...more] = call.header('origin');
  const [host = ''] = call.header('host');
  const isOurs =
    origin === new URL(baseUrl).origin || (getHost(origin) === host.toLowerCase() && host !== '');
  if (!isOurs || more.length > 0) {
    throw new AppError('FORBIDDEN', {
      publicMessage: 'Changes are accepted from pages of this dashboard only.',
    });
  }
}

function getHost(origin: string): string | null {
  return /^https?:\/\//.test(origin) && URL.canParse(origin) ? new URL(origin).host : null;
}
