import { isIP } from 'node:net';
import { isPublicAddress } from './is-public-address.js';

/** Returns the `host:port` of a URL as `OUTBOUND_ALLOW` writes it: lower case, IPv6 in brackets, the default port spelled out. */
export function getHostPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}

/**
 * Returns whether a URL may be called as far as it can be told without resolving a name. A literal address must be public. The name
 * `localhost` and names below it count as loopback addresses (RFC 6761). Other names are checked when they are resolved.
 */
export function isHostAllowed(url: URL): boolean {
  // URL has already turned 0x7f.1, 2130706433, 127.1 and full-width digits into the dotted form.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? isPublicAddress(host) : !/^(.+\.)?localhost\.?$/.test(url.hostname);
}

/** Checks the literal host of a URL: `private` when it is not on the public Internet and its `host:port` is not in `allow`. */
export function checkLiteralHost(url: string | URL, allow: ReadonlySet<string>): 'ok' | 'private' {
  if (!URL.canParse(String(url))) {
    return 'private';
  }
  const parsed = new URL(url);
  return isHostAllowed(parsed) || allow.has(getHostPort(parsed)) ? 'ok' : 'private';
}
