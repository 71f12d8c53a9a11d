import { TIMED_OUT, withTimeout } from '../../runtime/concurrency/index.js';
import { UnusableServiceError } from '../errors/index.js';
import { createDatabase, type Database } from './create-database.js';
import { LAST_MIGRATION } from './migrations/last-migration.js';
import { describeMissingRights, findMissingRights } from './migrations/missing-rights.js';
import { nameSession } from './name-session.js';
import { UNCHECKED_ENCODING } from './session-defaults.js';
import type { Statement } from './statement.js';

const TIMEOUT_MS = 2_000;
const LOOK: Statement = {
  name: 'look-at-start',
  text: `
SELECT current_setting('server_encoding') AS encoding, to_regclass('_prisma_migrations') IS NOT NULL AS "hasMigrations"`,
};
const FIND_LAST_MIGRATION: Statement = {
  name: 'find-last-migration',
  text: `
SELECT FROM _prisma_migrations
 WHERE migration_name = $1 AND finished_at IS NOT NULL AND rolled_back_at IS NULL`,
};

/**
 * Throws UnusableServiceError when the database of a URL answers and must not be used. Its set-up is wrong, it lacks migrations of this
 * release, or it has tables that the role may not use. One that does not answer within two seconds is no reason to wait: readiness and
 * the statements themselves tell.
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
        .then(() => look(db))
        .catch((error: unknown) => error),
    );
    if (outcome !== TIMED_OUT && outcome instanceof UnusableServiceError) {
      throw outcome;
    }
    if (outcome === UNCHECKED_ENCODING) {
      logger.warn('the database checks no text: it has the encoding SQL_ASCII; UTF8 is safer');
    }
  } finally {
    // One that hangs ends by its own timeout.
    void db.close().catch(() => undefined);
  }
}

/**
 * Returns the encoding. Throws UnusableServiceError for a database of the release before, or without rights of the role. On it a
 * process would answer requests with errors, and count as ready.
 */
async function look(db: Pick<Database, 'run'>): Promise<string | undefined> {
  const [seen] = await db.run<{ readonly encoding: string; readonly hasMigrations: boolean }>(LOOK, []);
  const missing = await findMissingRights(db);
  if (missing) {
    const { observed, remediation } = describeMissingRights(missing);
    throw new UnusableServiceError(`In this database ${observed}. ${remediation}`);
  }
  const applied = seen?.hasMigrations ? await db.run(FIND_LAST_MIGRATION, [LAST_MIGRATION]) : [];
  if (applied.length === 0) {
    throw new UnusableServiceError(
      `The database lacks migrations of this release, the last of which is ${LAST_MIGRATION}. Run: npm run gateway -- migrate`,
    );
  }
  return seen?.encoding;
}
