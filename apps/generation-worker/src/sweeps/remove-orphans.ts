import {
  type Database,
  finishOrphanCheck,
  type OrphanCheck,
  takeOrphanChecks,
} from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { ObjectStore } from '@image-gateway/shared/storage';
import { prefixOfTask } from '../steps/key-of-image.js';
import { eachWhileItWorks } from './each-while-it-works.js';

/** What removing orphans needs. */
export interface RemoveDeps {
  readonly db: Pick<Database, 'run'>;
  readonly store: Pick<ObjectStore, 'list' | 'remove'>;
  readonly metrics: Pick<Metrics, 'sweeps'>;
  readonly logger: Logger;
}

const AT_A_TIME = 50;

/** Removes objects of finished tasks that no row names: all of a failed task, of a completed one what is not in its result. Looks twice, an hour apart. */
export async function removeOrphans(deps: RemoveDeps): Promise<void> {
  const checks = await takeOrphanChecks(deps.db, { limit: AT_A_TIME });
  const check = async (one: OrphanCheck): Promise<void> => {
    await removeOrphansOf(deps, one);
    await finishOrphanCheck(deps.db, one);
  };
  // A check that failed is due again in a minute.
  await eachWhileItWorks(checks, check, ({ taskId, requestId }, error) =>
    deps.logger.warn('could not remove orphans', { taskId, requestId, error }),
  );
}

async function removeOrphansOf({ store, metrics, logger }: RemoveDeps, check: OrphanCheck): Promise<void> {
  const kept = new Set(check.status === 'completed' ? check.outputKeys : []);
  const orphans = (await store.list(prefixOfTask(check.taskId))).filter((key) => !kept.has(key));
  if (orphans.length === 0) return;
  await store.remove(orphans);
  metrics.sweeps.inc({ what: 'orphans' }, orphans.length);
  const { taskId, requestId } = check;
  logger.info('removed orphans', { taskId, requestId, count: orphans.length });
}
