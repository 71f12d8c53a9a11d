import type pg from 'pg';
import { openOwner } from '../migrations/open-owner.js';

/** Rows of a database by what they are, and the release that it belongs to. */
export interface DatabaseFacts {
  /** Version of the server, such as `18.4`. */
  readonly server: string;
  /** Its major version. */
  readonly major: number;
  /** Newest migration that was applied; null in an empty database. */
  readonly lastMigration: string | null;
  readonly counts: Readonly<Record<string, number>>;
}

/** Tables whose rows a backup counts. */
const COUNTED = [
  'accounts',
  'api_keys',
  'tasks',
  'task_outputs',
  'ledger_transfers',
  'usage_records',
  'webhook_deliveries',
] as const;

/** Reads the facts of a database. Throws what the driver throws. */
export async function readFacts(url: string): Promise<DatabaseFacts> {
  return withSnapshot(url, async (_snapshot, facts) => facts);
}

/** Runs work while a snapshot of the database is kept, with the id by which `pg_dump` takes the same one, and what is in it. */
export async function withSnapshot<T>(
  url: string,
  work: (snapshot: string, facts: DatabaseFacts) => Promise<T>,
): Promise<T> {
  const client = await openOwner(url);
  try {
    // The limits of the role are for requests: here a statement may take as long as it does.
    await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
      SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`);
    const { rows } = await client.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
    return await work(rows[0]?.id ?? '', await countRows(client));
  } finally {
    await client.end();
  }
}

async function countRows(client: pg.Client): Promise<DatabaseFacts> {
  const { rows: found } = await client.query<{ server: string; number: number; is_empty: boolean }>(
    `SELECT split_part(current_setting('server_version'), ' ', 1) AS server,
            current_setting('server_version_num')::int AS number, to_regclass('_prisma_migrations') IS NULL AS is_empty`,
  );
  const { server = '', number = 0, is_empty = true } = found[0] ?? {};
  const facts = { server, major: Math.floor(number / 10_000) };
  if (is_empty) {
    return { ...facts, lastMigration: null, counts: {} };
  }
  const counts = COUNTED.map((table) => `(SELECT count(*) FROM ${table})::float8 AS ${table}`);
  const { rows } = await client.query<Record<string, number> & { last: string | null }>(
    `SELECT (SELECT max(migration_name) FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL) AS last,
            (SELECT count(*) FROM tasks WHERE status = 'pending')::float8 AS pending_tasks, ${counts.join(', ')}`,
  );
  const { last = null, ...rest } = rows[0] ?? {};
  return { ...facts, lastMigration: last, counts: rest as Record<string, number> };
}
