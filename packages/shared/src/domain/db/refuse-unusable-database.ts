import { TIMED_OUT, withTimeout } from '../../runtime/concurrency/index.js';
import { UnusableServiceError } from '../errors/index.js';
import { createDatabase } from './create-database.js';
import { nameSession } from './name-session.js';
import { UNCHECKED_ENCODING } from './session-defaults.js';
import type { Statement } from './statement.js';

const TIMEOUT_MS = 2_000;
const FIND_ENCODING: Statement = {
  name: 'find-encoding',
  text: `SELECT current_setting('server_encoding') AS encoding`,
};

/**
 * Throws UnusableServiceError when the database of a URL answers and must not be used as it is set up. One that does not answer within two
 * seconds is no reason to wait: readiness and the statements themselves tell.
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
