import pg from 'pg';

/** Opens a few connections to a database of the bench; one that is cut when its database is dropped is no news. */
export function openPool(connectionString: string, max = 2): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, options: '-c statement_timeout=0 -c lock_timeout=0' });
  pool.on('error', () => undefined);
  return pool;
}
