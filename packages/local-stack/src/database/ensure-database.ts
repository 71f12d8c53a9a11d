import { setTimeout as sleep } from 'node:timers/promises';
import { StackError } from '../stack-error.js';
import { withClient } from './with-client.js';

const POLL_MS = 50;
const TIMEOUT_MS = 60_000;
const REFUSED_MS = 5_000;

/**
 * Waits until the embedded server accepts connections, and creates the database of the URL if it is missing. Its port may
 * change until then.
 */
export async function ensureDatabase(getUrl: () => string, signal: AbortSignal): Promise<void> {
  const started = Date.now();
  for (;;) {
    signal.throwIfAborted();
    const target = new URL(getUrl());
    const name = decodeURIComponent(target.pathname.slice(1));
    target.pathname = '/postgres';
    try {
      await withClient(target.href, async (client) => {
        const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
        if (rowCount === 0) {
          await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
        }
      });
      return;
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      const waitedMs = Date.now() - started;
      // At first it may be the server of another gateway, which took the port in the same moment.
      if (code === '28P01' && waitedMs > REFUSED_MS) {
        throw new StackError(
          'The embedded PostgreSQL refuses the password in secrets.json of the data folder: its files belong to another run.',
        );
      }
      if (waitedMs > TIMEOUT_MS) {
        throw new StackError(`The embedded PostgreSQL does not respond: ${message}`);
      }
    }
    await sleep(POLL_MS);
  }
}
