import { getHostPort } from './get-host-port.js';
import { isLoopbackName } from './is-loopback-name.js';
import { isPublicAddress } from './is-public-address.js';
import { parseLiteralAddress } from './parse-literal-address.js';

/**
 * Checks an address that is written out in a URL, without looking any name up: `private` when it is not on the public
 * Internet and its `host:port` is not allowed. Loopback names count as loopback addresses. Other names are `ok` here; they
 * are checked when they are resolved.
 */
export function checkLiteralHost(url: string | URL, allow: ReadonlySet<string>): 'ok' | 'private' {
  if (!URL.canParse(String(url))) return 'private';
  const parsed = new URL(url);
  const address = parseLiteralAddress(parsed);
  if (address === null ? !isLoopbackName(parsed) : isPublicAddress(address)) return 'ok';
  return allow.has(getHostPort(parsed)) ? 'ok' : 'private';
}
