import { type Database, findOverdueTasks, takeSweepTurn } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import { LOWEST_PRIORITY, type Producer } from '@image-gateway/shared/queues';

/** Dependencies of renewing hints. */
export interface RenewDeps {
  readonly db: Pick<Database, 'run'>;
  readonly producer: Pick<Producer, 'add'>;
  readonly metrics: Pick<Metrics, 'sweeps' | 'oldestDueSeconds'>;
  /** Minimum time overdue, in milliseconds. */
  readonly overdueMs: number;
  /** Interval in which one of all workers renews hints, in milliseconds. */
  readonly sweepMs: number;
  /** Returns whether hints can be sent at the moment. */
  readonly queueIsReady: () => boolean;
}

const MAX_HINTS = 500;

/**
 * Adds another hint for tasks that have been due for a while: their first one may be lost, and otherwise the queue drops the
 * duplicate. One worker does it for all.
 */
export async function renewHints(deps: RenewDeps): Promise<boolean> {
  const { db, producer, metrics, overdueMs, sweepMs } = deps;
  const turn = { name: 'renew-hints', everyMs: sweepMs };
  const isOurTurn = deps.queueIsReady() && (await takeSweepTurn(db, turn));
  const tasks = await findOverdueTasks(db, { overdueMs, limit: isOurTurn ? MAX_HINTS : 1 });
  metrics.oldestDueSeconds.set((tasks[0]?.overdueMs ?? 0) / 1_000);
  if (!isOurTurn || tasks.length === 0) {
    return false;
  }
  const hints = tasks.map(({ id, attempt, requestId }) => ({ taskId: id, attempt, traceId: requestId }));
  // Last in the queue: old tasks are taken from the database, in turns; these hints wake idle workers.
  const turns = hints.map(() => LOWEST_PRIORITY);
  if ((await producer.add('generation', hints, { turns })) === 'queued') {
    metrics.sweeps.inc({ what: 'hints' }, hints.length);
  }
  return false;
}
