/** The `host:port` of a URL as `OUTBOUND_ALLOW` writes it: lower case, IPv6 in brackets, the default port spelled out. */
export function getHostPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? '443' : '80')}`;
}
