import type { Exchange } from './exchange.js';
import { OutboundError } from './outbound-error.js';
import { parseOutboundUrl } from './parse-outbound-url.js';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Where an answer redirects to, or null when it does not. Throws OutboundError `redirect` for a target we do not follow. */
export function parseRedirect(
  { status, headers }: Pick<Exchange, 'status' | 'headers'>,
  from: URL,
): URL | null {
  const { location } = headers;
  if (!REDIRECTS.has(status) || location === undefined) return null;
  let target: URL;
  try {
    target = parseOutboundUrl(location, from);
  } catch (cause) {
    throw new OutboundError('redirect', `${from.host} redirects to a bad URL`, { sent: true, status, cause });
  }
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw new OutboundError('redirect', `${from.host} redirects from https to http`, { sent: true, status });
  }
  return target;
}
