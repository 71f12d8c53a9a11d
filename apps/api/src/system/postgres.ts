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
