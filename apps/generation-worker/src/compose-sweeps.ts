import { addUpHours } from '@image-gateway/shared/db';
import type { Producer } from '@image-gateway/shared/queues';
import type { Router } from './routing/create-router.js';
import type { FinishTask } from './steps/settle.js';
import { type DetailDeps, deleteOldDetails } from './sweeps/delete-old-details.js';
import { type EndOverdueDeps, endOverdueTasks } from './sweeps/end-overdue-tasks.js';
import { eraseExpired, type RetentionDeps } from './sweeps/erase-expired.js';
import { reconcileCalls } from './sweeps/reconcile-calls.js';
import { removeInputs } from './sweeps/remove-inputs.js';
import { removeOrphans } from './sweeps/remove-orphans.js';
import { type RenewDeps, renewHints } from './sweeps/renew-hints.js';
import { CLAIM_DIRECTLY, startSweeps } from './sweeps/start-sweeps.js';
import type { WorkerParts } from './worker-parts.js';

/** Parts of a worker that the sweeps share with the rest of it. */
export interface SweepsContext {
  readonly parts: WorkerParts;
  readonly now: () => number;
  readonly router: Router;
  readonly producer: Producer;
  readonly queueIsReady: () => boolean;
  readonly finishTask: FinishTask;
  readonly claimDue: () => Promise<void>;
  readonly report: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Starts the sweeps of a worker. */
export function composeSweeps({
  parts,
  now,
  router,
  producer,
  queueIsReady,
  finishTask,
  claimDue,
  report,
  signal,
}: SweepsContext): ReturnType<typeof startSweeps> {
  const { settings, db, store, logger, metrics } = parts;
  const { SWEEP_MS: sweepMs } = settings;
  const overdueDeps: EndOverdueDeps = {
    db,
    finishTask,
    maxTries: settings.TASK_MAX_ATTEMPTS,
    metrics,
    logger,
  };
  const renewDeps: RenewDeps = { db, producer, metrics, overdueMs: sweepMs, sweepMs, queueIsReady };
  const retentionDeps: RetentionDeps = {
    db,
    metrics,
    signal,
    retentionDays: settings.RETENTION_DAYS ?? null,
    retentionSweepMs: settings.RETENTION_SWEEP_MS,
  };
  const detailDeps: DetailDeps = {
    db,
    metrics,
    signal,
    detailRetentionDays: settings.DETAIL_RETENTION_DAYS,
  };
  return startSweeps({
    sweeps: {
      [CLAIM_DIRECTLY]: () => claimDue().then(() => false),
      'end-overdue-tasks': (noteProgress) => endOverdueTasks(overdueDeps, noteProgress),
      'renew-hints': () => renewHints(renewDeps),
      'remove-orphans': (noteProgress) => removeOrphans({ db, store, metrics, logger }, noteProgress),
      'remove-inputs': (noteProgress) => removeInputs({ db, store, metrics }, noteProgress),
      'reconcile-calls': (noteProgress) =>
        reconcileCalls({ db, router, metrics, logger, sweepMs }, noteProgress),
      'erase-expired-tasks': (noteProgress) => eraseExpired(retentionDeps, noteProgress),
      'add-up-hours': (noteProgress) => addUpHours(db, { everyMs: sweepMs, noteProgress }),
      'delete-old-details': (noteProgress) => deleteOldDetails(detailDeps, noteProgress),
      report: () => report().then(() => false),
    },
    sweepMs,
    logger,
    now,
    random: Math.random,
    signal,
  });
}
