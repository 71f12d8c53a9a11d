import { parseHostPort } from './parse-host-port.js';

/** Redis servers behind Sentinels, which know the primary. */
export interface SentinelGroup {
  readonly sentinels: readonly { readonly host: string; readonly port: number }[];
  /** Name of the group in the Sentinels' settings. */
  readonly name: string;
  /** Password of the Redis servers; the Sentinels have none. */
  readonly password?: string;
  readonly db: number;
}

const PREFIX = 'redis+sentinel://';
const FORM = `${PREFIX}[:password@]host:port,host:port/name?db=N`;
const PARTS = /^redis\+sentinel:\/\/(?::([^@/]*)@)?([^/@?#]+)\/([A-Za-z0-9._-]+)(?:\?db=(\d{1,4}))?$/;

/** Returns the Sentinel group that a `redis+sentinel://` URL names, or null for a URL of one server. Throws for a faulty one. */
export function parseSentinelUrl(url: string): SentinelGroup | null {
  if (!url.startsWith(PREFIX)) {
    return null;
  }
  const [, password, hosts, name, db = '0'] = PARTS.exec(url) ?? [];
  if (hosts === undefined || name === undefined) {
    throw new Error(`must have the form ${FORM}`);
  }
  try {
    const sentinels = hosts.split(',').map((entry) => {
      const [, host = '', port] = /^(.+):(\d+)$/.exec(parseHostPort(entry)) ?? [];
      return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
    });
    const secret = password ? { password: decodeURIComponent(password) } : {};
    return { sentinels, name, ...secret, db: Number(db) };
  } catch {
    throw new Error(`must have the form ${FORM}`);
  }
}
