import { getHostPort } from '../net/index.js';

/** Proxy of the environment. */
export interface ProxySettings {
  readonly HTTPS_PROXY?: string | undefined;
  /** Hosts that are called directly, each with all names below it, with `:port` or without; `*` for all. */
  readonly NO_PROXY: readonly string[];
}

/** Proxy for the calls to one host. */
export interface HostProxy {
  readonly url: URL;
  /** Exact `host:port`; all others are called directly. */
  readonly hostPort: string;
}

/** Returns the proxy for calls to an address; undefined for a direct one, such as any without TLS. */
export function chooseProxy(
  { HTTPS_PROXY: proxy, NO_PROXY: direct }: ProxySettings,
  address: string,
): HostProxy | undefined {
  const url = new URL(address);
  if (
    proxy === undefined ||
    url.protocol !== 'https:' ||
    direct.some((entry) => isMatch(entry.toLowerCase(), url))
  ) {
    return undefined;
  }
  return { url: new URL(proxy), hostPort: getHostPort(url) };
}

function isMatch(entry: string, url: URL): boolean {
  const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (port !== undefined && port !== (url.port || '443')) {
    return false;
  }
  const domain = host.replace(/^\*?\./, '');
  return host === '*' || url.hostname === domain || url.hostname.endsWith(`.${domain}`);
}
