import { isIP } from 'node:net';

/** The IP address that stands in a URL in place of a name, without brackets, or null when there is a name. */
export function parseLiteralAddress(url: URL): string | null {
  // URL has already turned 0x7f.1, 2130706433, 127.1 and full-width digits into the dotted form.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? host : null;
}
