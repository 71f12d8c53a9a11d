import { getVersion } from '../../runtime/config/index.js';

/** Names under which the processes of the gateway connect to PostgreSQL. */
export const SESSION_NAMES = [
  'image-gateway-api',
  'image-gateway-api-reads',
  'image-gateway-books',
  'generation-worker',
  'webhook-worker',
  'provider check',
  'image-gateway command line',
  'image-gateway migrations',
  'image-gateway start',
] as const;

/** Returns what `pg_stat_activity` shows of a session: its name and the version, by which an upgrade tells old processes from new ones. */
export function nameSession(name: (typeof SESSION_NAMES)[number]): string {
  return `${name}/${getVersion()}`;
}
