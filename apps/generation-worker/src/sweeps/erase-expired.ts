import { type Database, eraseExpiredTasks, takeSweepTurn } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';

/** Dependencies of erasing expired tasks. */
export interface RetentionDeps {
  readonly db: Pick<Database, 'run'>;
  readonly metrics: Pick<Metrics, 'sweeps'>;
  readonly signal: AbortSignal;
  /** Age in days from which finished tasks are erased; null: for ever, where their account has no retention of its own. */
  readonly retentionDays: number | null;
  /** Time from one run to the next. */
  readonly retentionSweepMs: number;
}

/** Erases finished tasks that are older than their retention. One worker does it for all. */
export async function eraseExpired(deps: RetentionDeps, noteProgress: () => void): Promise<boolean> {
  const { db, metrics, signal, retentionDays: days, retentionSweepMs } = deps;
  if (!(await takeSweepTurn(db, { name: 'erase-expired-tasks', everyMs: retentionSweepMs }))) {
    return false;
  }
  for await (const { tasks } of eraseExpiredTasks(db, { days, signal })) {
    metrics.sweeps.inc({ what: 'expired-tasks' }, tasks);
    noteProgress();
  }
  return false;
}
