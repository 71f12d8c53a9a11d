import { type Database, touchApiKeys } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import { LRUCache } from 'lru-cache';

/** Records the use of keys, off the hot path. */
export interface KeyUseRecorder {
  readonly record: (apiKeyId: string) => void;
  /** Writes what was recorded; never throws. */
  readonly flush: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const MIN_INTERVAL_MS = 60_000;
const FLUSH_INTERVAL_MS = 1_000;

/** Creates the writer of `last_used_at`: each key at most once a minute, all keys of a second in one statement. */
export function createKeyUseRecorder({
  db,
  logger,
}: {
  readonly db: Pick<Database, 'run'>;
  readonly logger: Logger;
}): KeyUseRecorder {
  const noted = new LRUCache<string, true>({ max: 10_000, ttl: MIN_INTERVAL_MS });
  const waiting = new Set<string>();

  const flush = async (): Promise<void> => {
    if (waiting.size === 0) {
      return;
    }
    const ids = [...waiting];
    waiting.clear();
    try {
      await touchApiKeys(db, ids);
    } catch (error) {
      for (const id of ids) {
        noted.delete(id);
      }
      logger.debug('could not note the use of keys', { error });
    }
  };
  const timer = setInterval(() => void flush(), FLUSH_INTERVAL_MS);
  timer.unref();

  return {
    record: (id) => {
      if (noted.has(id)) {
        return;
      }
      noted.set(id, true);
      waiting.add(id);
    },
    flush,
    stop: () => {
      clearInterval(timer);
      return flush();
    },
  };
}
