import pg from 'pg';
import { isConnectionError } from './is-connection-error.js';

/** Returns whether the server behind a URL accepts connections; a refusal for lack of room counts as a sign of life. */
export async function isReachable(url: string, withinMs: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: withinMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return !isConnectionError(error);
  } finally {
    client.end().catch(() => undefined);
  }
}
