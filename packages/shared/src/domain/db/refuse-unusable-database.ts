import { TIMED_OUT, withTimeout } from '../../runtime/concurrency/index.js';
import { UnusableServiceError } from '../errors/index.js';
import { createDatabase } from './create-database.js';
import { nameSession } from './name-session.js';

const TIMEOUT_MS = 2_000;

/**
 * Throws UnusableServiceError when the database of a URL answers and must not be used as it is set up. One that does not answer within two
 * seconds is no reason to wait: readiness and the statements themselves tell.
 */
export async function refuseUnusableDatabase(url: string): Promise<void> {
  const db = createDatabase({ url, applicationName: nameSession('image-gateway start'), max: 1 });
  try {
    const outcome = await withTimeout(
      TIMEOUT_MS,
      db.ping().catch((error: unknown) => error),
    );
    if (outcome !== TIMED_OUT && outcome instanceof UnusableServiceError) {
      throw outcome;
    }
  } finally {
    // One that hangs ends by its own timeout.
    void db.close().catch(() => undefined);
  }
}
