import {
  type Database,
  deleteEndedKeys,
  deleteExpiredSessions,
  deleteExpiredVerifications,
  deleteOldAttempts,
  deleteOldCalls,
  deleteOldCapNotices,
  deleteOldChecks,
  deleteOldEvents,
  deleteOldOperatorNotices,
  deleteOldValueSpend,
  deleteOwnersAudit,
  takeSweepTurn,
} from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';

/** Dependencies of deleting old details. */
export interface DetailDeps {
  readonly db: Pick<Database, 'run'>;
  readonly metrics: Pick<Metrics, 'sweeps'>;
  readonly signal: AbortSignal;
  /** Age in days from which details are deleted. */
  readonly detailRetentionDays: number;
}

const EVERY_MS = 60_000;
/** Rows of one statement: it takes milliseconds, and its locks are on rows that nobody changes any more. */
const BATCH_SIZE = 500;

const DELETIONS = [
  deleteOldCalls,
  deleteOldAttempts,
  deleteOwnersAudit,
  deleteEndedKeys,
  deleteExpiredSessions,
  deleteExpiredVerifications,
  deleteOldValueSpend,
  deleteOldEvents,
  deleteOldCapNotices,
  deleteOldOperatorNotices,
  deleteOldChecks,
];

/**
 * Deletes what is older than the retention: calls and webhook attempts of finished tasks, owners' entries of the audit log, and
 * ended keys without tasks. Expired sessions go at once, counters of caps by value two days after their day, checks of
 * providers after two days. One worker does it for all, once a minute.
 */
export async function deleteOldDetails(deps: DetailDeps, noteProgress: () => void): Promise<boolean> {
  const { db, metrics, signal, detailRetentionDays: days } = deps;
  if (!(await takeSweepTurn(db, { name: 'delete-old-details', everyMs: EVERY_MS }))) {
    return false;
  }
  for (const deleteOld of DELETIONS) {
    let deleted = BATCH_SIZE;
    while (deleted === BATCH_SIZE && !signal.aborted) {
      deleted = await deleteOld(db, { days, limit: BATCH_SIZE });
      metrics.sweeps.inc({ what: 'old-details' }, deleted);
      noteProgress();
    }
  }
  return false;
}
