import type { Database, Statement } from '@image-gateway/shared/db';

/** Version and settings of PostgreSQL. */
export interface PostgresDescription {
  readonly version: string;
  readonly versionNumber: number;
  readonly zone: string;
  readonly fsync: string;
  readonly nowMs: number;
  readonly hasMigrations: boolean;
}

const DESCRIBE_POSTGRES: Statement = {
  name: 'doctor-about',
  text: `
SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS "versionNumber",
       current_setting('TimeZone') AS zone, current_setting('fsync') AS fsync,
       (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::float8 AS "nowMs",
       to_regclass('_prisma_migrations') IS NOT NULL AS "hasMigrations"`,
};

/** Returns version, time zone, durability and clock of the database. */
export async function describePostgres(db: Pick<Database, 'run'>): Promise<PostgresDescription> {
  const [description] = await db.run<PostgresDescription>(DESCRIBE_POSTGRES, []);
  if (!description) {
    throw new Error('a statement that always has a row had none');
  }
  return description;
}
