import pg from 'pg';
import { isConnectionTrouble } from './is-connection-trouble.js';

/** Whether the server behind a URL answers a new connection; one that has no room for it does. */
export async function answers(url: string, withinMs: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: withinMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return !isConnectionTrouble(error);
  } finally {
    client.end().catch(() => undefined);
  }
}
