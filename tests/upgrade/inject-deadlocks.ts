import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Tables of which the injection holds one at a time, as a request does. */
const TABLES = ['tasks', 'accounts', 'webhook_deliveries', 'provider_calls', 'usage_records', 'api_keys'];
/** After so many the migration is let through. */
const MOST = 6;
const LOOKS = 40;
const LOOK_MS = 20;

/** A table that the migration has locked while it waits for the given one. */
const FIND_OTHER = `
SELECT held.relation::regclass::text AS "other"
FROM pg_stat_activity a
JOIN pg_locks waited ON waited.pid = a.pid AND NOT waited.granted AND waited.relation = $1::regclass
JOIN pg_locks held ON held.pid = a.pid AND held.granted AND held.relation <> waited.relation
  AND held.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
JOIN pg_class c ON c.oid = held.relation AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
WHERE split_part(a.application_name, '/', 1) = 'image-gateway migrations'
LIMIT 1`;

/**
 * Holds a table that a migration needs, and asks for one that the migration holds, up to six times. Needs a superuser: its sessions
 * look for deadlocks late, so that PostgreSQL ends the migration and not them.
 */
export async function injectDeadlocks(url: string) {
  const client = new pg.Client({
    connectionString: url,
    options: '-c deadlock_timeout=60s -c lock_timeout=0',
  });
  const looker = new pg.Client({ connectionString: url });
  for (const session of [client, looker]) {
    // A session that ends fails its statement as well.
    session.on('error', () => undefined);
    await session.connect();
  }
  const count = async (): Promise<number> => {
    const text = 'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()';
    const { rows } = await looker.query<{ deadlocks: number }>(text);
    return rows[0]?.deadlocks ?? 0;
  };
  const before = await count();
  const stopping = new AbortController();
  let made = 0;

  const holdOne = async (table: string): Promise<void> => {
    await client.query('BEGIN');
    try {
      await client.query(`LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);
      for (let looks = 0; looks < LOOKS && !stopping.signal.aborted; looks += 1) {
        const { rows } = await looker.query<{ other: string }>(FIND_OTHER, [table]);
        if (rows[0]) {
          made += 1;
          await client.query(`LOCK TABLE ${rows[0].other} IN ROW EXCLUSIVE MODE`);
          return;
        }
        await sleep(LOOK_MS);
      }
    } finally {
      await client.query('ROLLBACK');
    }
  };
  const loop = (async () => {
    for (let turn = 0; !stopping.signal.aborted && made < MOST; turn += 1) {
      await holdOne(TABLES[turn % TABLES.length] ?? 'tasks');
    }
  })();
  loop.catch(() => undefined);

  return {
    /** Ends it; resolves with the number of deadlocks that PostgreSQL has found meanwhile, those of requests included. */
    stop: async () => {
      stopping.abort();
      await loop;
      // The server's figures come a moment late.
      await sleep(1_500);
      const found = (await count()) - before;
      await Promise.all([client.end(), looker.end()]);
      return found;
    },
  };
}
