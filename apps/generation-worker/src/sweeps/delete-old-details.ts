import { type Database, deleteOldAttempts, deleteOldCalls, takeSweepTurn } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';

/** Dependencies of deleting old details. */
export interface DetailDeps {
  readonly db: Pick<Database, 'run'>;
  readonly metrics: Pick<Metrics, 'sweeps'>;
  readonly signal: AbortSignal;
  /** Age in days from which details of finished tasks are deleted. */
  readonly detailRetentionDays: number;
}

const EVERY_MS = 60_000;
/** Rows of one statement: it takes milliseconds, and its locks are on rows that nobody changes any more. */
const BATCH_SIZE = 500;

/** Deletes calls and webhook attempts of finished tasks that are older than the retention. One worker does it for all, once a minute. */
export async function deleteOldDetails(deps: DetailDeps, noteProgress: () => void): Promise<boolean> {
  const { db, metrics, signal, detailRetentionDays: days } = deps;
  if (!(await takeSweepTurn(db, { name: 'delete-old-details', everyMs: EVERY_MS }))) {
    return false;
  }
  for (const deleteOld of [deleteOldCalls, deleteOldAttempts]) {
    let deleted = BATCH_SIZE;
    while (deleted === BATCH_SIZE && !signal.aborted) {
      deleted = await deleteOld(db, { days, limit: BATCH_SIZE });
      metrics.sweeps.inc({ what: 'old-details' }, deleted);
      noteProgress();
    }
  }
  return false;
}
