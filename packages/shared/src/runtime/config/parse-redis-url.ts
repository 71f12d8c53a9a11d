import { parseHostPort } from './parse-host-port.js';

/** Redis servers behind Sentinels, which know the primary. */
export interface SentinelGroup {
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  /** Name of the group in the Sentinels' settings. */
  readonly name: string;
  /** Log-in at the Redis servers. */
  readonly username?: string;
  readonly password?: string;
  /** Log-in at the Sentinels. */
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
  readonly db: number;
  /** True for TLS, to the Sentinels and to the servers. */
  readonly isEncrypted: boolean;
}

const FORM = 'redis+sentinel://[[user]:password@]host:port,host:port/name?db=N (rediss+sentinel:// with TLS)';
const PARTS = /^redis(s)?\+sentinel:\/\/(?:([^:@/]*):([^@/]*)@)?([^/@?#]+)\/([A-Za-z0-9._-]+)(?:\?([^#]*))?$/;
const PARAMETERS = new Set(['db', 'sentinel_username', 'sentinel_password']);

/** Returns the Sentinel group that a `redis+sentinel://` URL names, or null for a URL of one server. Throws for a faulty one. */
export function parseSentinelUrl(url: string): SentinelGroup | null {
  if (!/^rediss?\+sentinel:\/\//.test(url)) {
    return null;
  }
  const [, tls, username, password, hosts, name, query = ''] = PARTS.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const db = parameters.get('db') ?? '0';
  const isKnown = [...parameters.keys()].every((key) => PARAMETERS.has(key));
  if (hosts === undefined || name === undefined || !isKnown || !/^\d{1,4}$/.test(db)) {
    throw new Error(`must have the form ${FORM}`);
  }
  try {
    const sentinels = hosts.split(',').map((entry) => {
      const [, host = '', port] = /^(.+):(\d+)$/.exec(parseHostPort(entry)) ?? [];
      return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
    });
    const logIns = {
      username: username && decodeURIComponent(username),
      password: password && decodeURIComponent(password),
      sentinelUsername: parameters.get('sentinel_username'),
      sentinelPassword: parameters.get('sentinel_password'),
    };
    const given = Object.fromEntries(Object.entries(logIns).filter(([, value]) => value));
    return { sentinels, name, ...given, db: Number(db), isEncrypted: tls !== undefined };
  } catch {
    throw new Error(`must have the form ${FORM}`);
  }
}

/** Returns the URL of a Sentinel group with the log-in at the Sentinels, which has settings of its own; any other URL as it is. */
export function addSentinelLogIn(
  url: string,
  { username, password }: { readonly username: string | undefined; readonly password: string | undefined },
): string {
  if (!/^rediss?\+sentinel:/.test(url) || (!username && !password)) {
    return url;
  }
  const [address = '', query] = url.split('?');
  const parameters = new URLSearchParams(query);
  if (username) {
    parameters.set('sentinel_username', username);
  }
  if (password) {
    parameters.set('sentinel_password', password);
  }
  return `${address}?${parameters.toString()}`;
}
