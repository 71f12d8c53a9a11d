import { randomBytes } from 'node:crypto';
import { createDatabase, type DatabaseOptions, setSessionDefaults } from '@image-gateway/shared/db';
import { withPrisma } from '@image-gateway/shared/db/prisma';
import pg from 'pg';
import { checkInvariants, type InvariantScope } from './check-invariants.js';
import { templateDatabase } from './template-database.js';
import { testServices } from './test-services.js';

/** A database of a test file's own, with all migrations. */
export type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

/** A connection for as long as the work takes: one kept until `close` would keep a test run alive whose test forgot that. */
async function asAdmin(url: string, work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

/** Clones the migrated template (about 25 ms) into a database of the caller's own. */
export async function createTestDatabase(options: Partial<DatabaseOptions> = {}) {
  const { databaseUrl } = testServices();
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  await asAdmin(databaseUrl, async (admin) => {
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${await templateDatabase(admin, databaseUrl)}`);
  });
  await setSessionDefaults(url.href);
  const db = withPrisma(
    createDatabase({
      url: url.href,
      applicationName: 'test',
      // A test waits on a busy machine, and fails over what it looks at.
      connectTimeoutMs: 60_000,
      maxWaitMs: 60_000,
      onIdleError: () => undefined,
      ...options,
    }),
  );
  /** A plain connection pool, for looking and for setting up what the product has no words for. */
  const pool = new pg.Pool({
    connectionString: url.href,
    max: 5,
    // Tests look at many rows, and hold what others wait for.
    options: '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0',
    allowExitOnIdle: true,
  });
  pool.on('error', () => undefined);
  return {
    url: url.href,
    db,
    pool,
    /** Throws an Error that lists every broken invariant: `live` ones, or with `rest` all of them. */
    checkInvariants: (scope: InvariantScope = 'live') => checkInvariants(pool, scope),
    /** Closes everything and drops the database. */
    close: async () => {
      await Promise.all([db.close(), pool.end()]);
      await asAdmin(databaseUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}
