import type { Database } from '@image-gateway/shared/db';
import { repeat } from '@image-gateway/shared/lifecycle';
import type { Metrics } from '@image-gateway/shared/metrics';
import { countDueWork } from './count-due-work.js';

/** Dependencies of the watch over due work. */
export interface DueWorkDeps {
  readonly db: Pick<Database, 'run'>;
  readonly metrics: Pick<Metrics, 'dueTasks' | 'dueDeliveries' | 'oldestDueSeconds'>;
  /** Time between two counts in milliseconds. */
  readonly everyMs?: number;
  /** Age in milliseconds from which numbers are too old to be shown. */
  readonly staleAfterMs?: number;
}

const EVERY_MS = 5_000;
const STALE_AFTER_MS = 60_000;

/**
 * Counts due work again and again for the metrics, so that alerts work also when every worker is gone. Numbers that
 * could not be renewed for a minute disappear: an old number would hide an outage. Returns the function that ends it.
 */
export function watchDueWork({
  db,
  metrics,
  everyMs = EVERY_MS,
  staleAfterMs = STALE_AFTER_MS,
}: DueWorkDeps): () => Promise<void> {
  const ending = new AbortController();
  let countedAt = performance.now();
  const count = async (): Promise<void> => {
    const { tasks, deliveries, oldestSeconds } = await countDueWork(db);
    countedAt = performance.now();
    metrics.dueTasks.set(tasks);
    metrics.dueDeliveries.set(deliveries);
    metrics.oldestDueSeconds.set(Math.max(0, oldestSeconds));
  };
  // Requests and /readyz already tell in the log that the database does not respond.
  const onError = (): void => {
    if (performance.now() - countedAt >= staleAfterMs) {
      for (const gauge of [metrics.dueTasks, metrics.dueDeliveries, metrics.oldestDueSeconds]) {
        gauge.remove();
      }
    }
  };
  const ended = repeat(count, { everyMs, signal: ending.signal, onError });
  return () => {
    ending.abort();
    return ended;
  };
}
