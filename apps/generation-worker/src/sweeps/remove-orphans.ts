import {
  type Database,
  finishOrphanCheck,
  type OrphanCheck,
  takeOrphanChecks,
} from '@image-gateway/shared/db';
import { taskPrefix } from '@image-gateway/shared/ids';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { sweepItems } from './sweep-items.js';

/** Dependencies of removing orphans. */
export interface RemoveDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: Pick<ObjectStore, 'list' | 'remove'>;
  readonly metrics: Pick<Metrics, 'sweeps'>;
  readonly logger: Logger;
}

// All at once: a listing and a removal take less than the minute for which a check is claimed.
const BATCH_SIZE = 16;

/**
 * Removes orphaned objects of a batch of finished tasks: all of a failed task, and those outside the result of a completed one.
 * Each task is checked twice, an hour apart.
 */
export async function removeOrphans(deps: RemoveDeps, noteProgress: () => void): Promise<boolean> {
  const action = async (check: OrphanCheck): Promise<void> => {
    await removeTaskOrphans(deps, check);
    await finishOrphanCheck(deps.db, check);
  };
  // A check that failed is due again in a minute.
  const onError = ({ taskId, requestId }: OrphanCheck, error: unknown) =>
    deps.logger.warn('could not remove orphans', { taskId, requestId, error });
  const checks = await takeOrphanChecks(deps.db, { limit: BATCH_SIZE });
  return sweepItems(checks, { action, onError, noteProgress });
}

async function removeTaskOrphans({ store, metrics, logger }: RemoveDeps, check: OrphanCheck): Promise<void> {
  const kept = new Set(check.status === 'completed' ? check.outputKeys : []);
  const orphans = (await store.list(taskPrefix(check.taskId))).filter((key) => !kept.has(key));
  if (orphans.length === 0) {
    return;
  }
  await store.remove(orphans);
  metrics.sweeps.inc({ what: 'orphans' }, orphans.length);
  const { taskId, requestId } = check;
  logger.info('removed orphans', { taskId, requestId, count: orphans.length });
}
