import { TIMED_OUT, withTimeout } from '../../runtime/concurrency/index.js';
import { UnusableServiceError } from '../errors/index.js';
import { createDatabase, type Database } from './create-database.js';
import { LAST_MIGRATION } from './migrations/last-migration.js';
import { nameSession } from './name-session.js';
import { UNCHECKED_ENCODING } from './session-defaults.js';
import type { Statement } from './statement.js';

const TIMEOUT_MS = 2_000;
const FIND_ENCODING: Statement = {
  name: 'find-encoding',
  text: `SELECT current_setting('server_encoding') AS encoding`,
};

const FIND_MIGRATIONS: Statement = {
  name: 'find-migrations',
  text: `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exist`,
};
const FIND_LAST_MIGRATION: Statement = {
  name: 'find-last-migration',
  text: `
SELECT FROM _prisma_migrations
 WHERE migration_name = $1 AND finished_at IS NOT NULL AND rolled_back_at IS NULL`,
};

/**
 * Throws UnusableServiceError when the database of a URL answers and must not be used as it is set up, or lacks migrations of this
 * release. One that does not answer within two seconds is no reason to wait: readiness and the statements themselves tell.
 */
export async function refuseUnusableDatabase(
  url: string,
  logger: { readonly warn: (message: string) => unknown },
): Promise<void> {
  const db = createDatabase({ url, applicationName: nameSession('image-gateway start'), max: 1 });
  try {
    const outcome = await withTimeout(
      TIMEOUT_MS,
      db
        .ping()
        .then(() => refuseUnmigrated(db))
        .then(() => db.run<{ readonly encoding: string }>(FIND_ENCODING, []))
        .catch((error: unknown) => error),
    );
    if (outcome !== TIMED_OUT && outcome instanceof UnusableServiceError) {
      throw outcome;
    }
    if (Array.isArray(outcome) && outcome[0]?.encoding === UNCHECKED_ENCODING) {
      logger.warn('the database checks no text: it has the encoding SQL_ASCII; UTF8 is safer');
    }
  } finally {
    // One that hangs ends by its own timeout.
    void db.close().catch(() => undefined);
  }
}

/** A process on a database of the release before would answer requests with errors, and count as ready. */
async function refuseUnmigrated(db: Pick<Database, 'run'>): Promise<void> {
  const [tables] = await db.run<{ readonly exist: boolean }>(FIND_MIGRATIONS, []);
  const found = tables?.exist ? await db.run(FIND_LAST_MIGRATION, [LAST_MIGRATION]) : [];
  if (found.length === 0) {
    throw new UnusableServiceError(
      `The database lacks migrations of this release, the last of which is ${LAST_MIGRATION}. Run: npm run gateway -- migrate`,
    );
  }
}
