import { setTimeout as sleep } from 'node:timers/promises';
import { StackError } from '../stack-error.js';
import { withClient } from './with-client.js';

const POLL_MS = 50;
const TIMEOUT_MS = 60_000;

/** Waits until the embedded server accepts connections, and creates the database of the URL if it is missing. */
export async function ensureDatabase(url: string, signal: AbortSignal): Promise<void> {
  const target = new URL(url);
  const name = decodeURIComponent(target.pathname.slice(1));
  target.pathname = '/postgres';
  const until = Date.now() + TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
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
      if (code === '28P01') {
        throw new StackError(
          'The embedded PostgreSQL refuses the password in secrets.json of the data folder: its files belong to another run.',
        );
      }
      if (Date.now() > until) {
        throw new StackError(`The embedded PostgreSQL does not respond: ${message}`);
      }
    }
    await sleep(POLL_MS);
  }
}
