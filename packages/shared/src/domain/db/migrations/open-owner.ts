import pg from 'pg';
import { getSqlState } from '../database-error.js';
import { nameSession } from '../name-session.js';

const CONNECT_TIMEOUT_MS = 10_000;

/** Opens a connection for changes of definitions and roles; the caller ends it. Throws what the driver throws. */
export async function openOwner(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: nameSession('image-gateway migrations'),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  // A connection that breaks fails its statement as well.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Opens such a connection to the database of the URL; one that does not exist is created, in UTF8 whatever the server's default is. */
export async function openOrCreate(url: string): Promise<pg.Client> {
  try {
    return await openOwner(url);
  } catch (error) {
    if (getSqlState(error) !== '3D000') {
      throw error;
    }
  }
  const server = new URL(url);
  const name = decodeURIComponent(server.pathname.slice(1));
  server.pathname = '/postgres';
  const admin = await openOwner(server.href);
  try {
    const { rows } = await admin.query(
      `SELECT FROM pg_database WHERE datname = 'template1' AND pg_encoding_to_char(encoding) = 'UTF8'`,
    );
    const how = rows.length > 0 ? '' : " ENCODING 'UTF8' TEMPLATE template0";
    await admin.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}${how}`);
  } catch (error) {
    // Another program that migrates has just created it.
    if (!['42P04', '23505'].includes(getSqlState(error) ?? '')) {
      throw error;
    }
  } finally {
    await admin.end();
  }
  return openOwner(url);
}
