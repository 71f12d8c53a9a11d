import type { Database } from '@image-gateway/shared/db';
import { repeat } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import { applyWaiting } from '../sync-catalog.js';
import { VersionConflict } from '../versions.js';

/** Dependencies of the sweep. */
export interface WaitingCatalogDeps {
  readonly db: Pick<Database, 'run'>;
  readonly logger: Logger;
  /** Time between two looks in milliseconds. */
  readonly everyMs?: number;
}

const EVERY_MS = 15_000;

/**
 * Looks again and again whether the processes of the former release have ended. Makes a CATALOG_FILE or built-in content that
 * waits for that a version then. Returns the function that ends it.
 */
export function sweepWaitingCatalog({
  db,
  logger,
  everyMs = EVERY_MS,
}: WaitingCatalogDeps): () => Promise<void> {
  const ending = new AbortController();
  const look = async (): Promise<void> => {
    const applied = await applyWaiting(db);
    if (applied === null) {
      return;
    }
    const { version, inserted, undone } = applied;
    if (undone !== null) {
      logger.error('CATALOG_FILE is not applied: it would undo a change that followed', { version: undone });
    }
    if (inserted !== null) {
      logger.info('the catalog that waited for the end of the former release is applied', {
        version,
        inserted,
      });
    }
  };
  const onError = (error: unknown): void => {
    // Another process was faster; the next look finds nothing that waits.
    if (!(error instanceof VersionConflict)) {
      logger.warn('the catalog that waits was not applied', { error });
    }
  };
  const ended = repeat(look, { everyMs, signal: ending.signal, onError });
  return () => {
    ending.abort();
    return ended;
  };
}
