import pg from 'pg';
import { openOrCreate, openOwner } from '../migrations/open-owner.js';

/** Database for a restored backup that is looked at. */
export interface ScratchDatabase {
  readonly url: string;
  readonly name: string;
  /** Ends its sessions and drops it. */
  readonly drop: () => Promise<void>;
}

/** Creates an empty database of a new name on the server of a URL. Throws what the driver throws, `42501` without the right. */
export async function createScratchDatabase(url: string, name: string): Promise<ScratchDatabase> {
  const run = async (text: string): Promise<void> => {
    const client = await openOwner(url);
    try {
      await client.query('SET statement_timeout = 0');
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  const quoted = pg.escapeIdentifier(name);
  await run(`CREATE DATABASE ${quoted} ENCODING 'UTF8' TEMPLATE template0`);
  const scratch = new URL(url);
  scratch.pathname = `/${encodeURIComponent(name)}`;
  return {
    url: scratch.href,
    name,
    drop: () => run(`DROP DATABASE IF EXISTS ${quoted} WITH (FORCE)`),
  };
}

/** Returns whether a database holds no table; one that does not exist is created. Throws what the driver throws. */
export async function isEmptyDatabase(url: string): Promise<boolean> {
  const client = await openOrCreate(url);
  try {
    const { rows } = await client.query(
      `SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') LIMIT 1`,
    );
    return rows.length === 0;
  } finally {
    await client.end();
  }
}
