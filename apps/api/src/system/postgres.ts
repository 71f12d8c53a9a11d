import { type Database, SESSION_DEFAULTS, type Statement } from '@image-gateway/shared/db';

/** Version and settings of PostgreSQL. */
export interface PostgresDescription {
  readonly version: string;
  readonly versionNumber: number;
  readonly encoding: string;
  /** Settings that are off, of those without which a crash loses what was confirmed. */
  readonly volatile: readonly string[];
  /** Role and database of the session, and what it has for each of the settings of the product. */
  readonly role: string;
  readonly database: string;
  readonly sessions: Readonly<Record<string, string>>;
  readonly nowMs: number;
  readonly hasMigrations: boolean;
}

const DESCRIBE_POSTGRES: Statement = {
  name: 'doctor-about',
  text: `
SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS "versionNumber",
       current_setting('server_encoding') AS encoding,
       ARRAY(SELECT name FROM pg_settings WHERE name = ANY ('{fsync,full_page_writes,synchronous_commit}') AND setting = 'off'
         ORDER BY 1)::text[] AS volatile,
       (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::float8 AS "nowMs",
       current_user AS role, current_database() AS database,
       -- What the session had before its first statement: this one may have lifted a limit.
       (SELECT jsonb_object_agg(name, reset_val) FROM pg_settings WHERE name = ANY ($1)) AS sessions,
       to_regclass('_prisma_migrations') IS NOT NULL AS "hasMigrations"`,
};

/** Returns version, durability, settings of sessions and clock of the database. */
export async function describePostgres(db: Pick<Database, 'run'>): Promise<PostgresDescription> {
  const [description] = await db.run<PostgresDescription>(DESCRIBE_POSTGRES, [
    SESSION_DEFAULTS.map(({ name }) => name),
  ]);
  if (!description) {
    throw new Error('a statement that always has a row had none');
  }
  return description;
}

const TRY_DISK: Statement = {
  name: 'doctor-disk',
  text: `
INSERT INTO auth_verifications (id, identifier, value, expires_at, updated_at)
SELECT $1, 'doctor', string_agg(md5(random()::text), ''), now() - interval '1 day', now() FROM generate_series(1, 4096)`,
};
const REMOVE_TRIAL: Statement = {
  name: 'doctor-disk-end',
  text: 'DELETE FROM auth_verifications WHERE id = $1',
};

/** Writes 128 KiB and removes them, in a table of short-lived rows. Throws what the database throws when its disk is full. */
export async function tryDisk(db: Pick<Database, 'run'>, id: string): Promise<void> {
  await db.run(TRY_DISK, [id]);
  await db.run(REMOVE_TRIAL, [id]);
}

/** Session that holds a lock for writing on accounts. */
export interface AccountHolder {
  readonly pid: number;
  readonly transaction: string;
  readonly role: string | null;
  readonly program: string | null;
}

const FIND_ACCOUNT_HOLDERS: Statement = {
  name: 'doctor-account-holders',
  text: `
SELECT DISTINCT l.pid, l.virtualtransaction AS transaction, a.usename::text AS role, NULLIF(a.application_name, '') AS program
  FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
 WHERE l.locktype = 'relation' AND l.relation = 'accounts'::regclass AND l.granted AND l.pid <> pg_backend_pid()
   AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
   AND l.mode NOT IN ('AccessShareLock', 'ShareUpdateExclusiveLock')`,
};

/** Lists the sessions that may hold rows of accounts, for which submits wait. */
export function findAccountHolders(db: Pick<Database, 'run'>): Promise<AccountHolder[]> {
  return db.run<AccountHolder>(FIND_ACCOUNT_HOLDERS, []);
}

const LIST_APPLIED_MIGRATIONS: Statement = {
  name: 'doctor-migrations',
  text: `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
};

/** Lists the names of the migrations that are applied. */
export async function listAppliedMigrations(db: Pick<Database, 'run'>): Promise<string[]> {
  const rows = await db.run<{ name: string }>(LIST_APPLIED_MIGRATIONS, []);
  return rows.map(({ name }) => name);
}

/** Connections of PostgreSQL and the kinds of processes that hold some. */
export interface ConnectionCounts {
  readonly max: number;
  readonly open: number;
  readonly hasApi: boolean;
  readonly hasWebhooks: boolean;
}

const COUNT_CONNECTIONS: Statement = {
  name: 'doctor-connections',
  text: `
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS max,
       count(*)::int AS open,
       bool_or(split_part(application_name, '/', 1) = 'image-gateway-api') AS "hasApi",
       bool_or(split_part(application_name, '/', 1) = 'webhook-worker') AS "hasWebhooks"
  FROM pg_stat_activity WHERE backend_type = 'client backend'`,
};

/** Counts the open connections; `max` excludes those that are reserved for superusers. */
export async function countConnections(db: Pick<Database, 'run'>): Promise<ConnectionCounts> {
  const [connections] = await db.run<ConnectionCounts>(COUNT_CONNECTIONS, []);
  if (!connections) {
    throw new Error('a statement that always has a row had none');
  }
  return connections;
}
