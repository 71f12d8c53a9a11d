import { type Database, findOverdueTasks, takeSweepTurn } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import { LOWEST_PRIORITY, type Producer } from '@image-gateway/shared/queues';

/** What renewing hints needs. */
export interface RenewDeps {
  readonly db: Pick<Database, 'run'>;
  readonly producer: Pick<Producer, 'add'>;
  readonly metrics: Pick<Metrics, 'sweeps' | 'oldestDueSeconds'>;
  /** How long a task has to be overdue, in milliseconds. */
  readonly overdueMs: number;
  /** How often one of all workers renews hints, in milliseconds. */
  readonly sweepMs: number;
  /** Returns whether hints can be sent at the moment. */
  readonly queueIsReady: () => boolean;
}

const MAX_HINTS = 500;

/** Hints once more at tasks that have been due for a while: their first hint may be lost. One that is not lost makes this one vanish. One worker does it for all. */
export async function renewHints(deps: RenewDeps): Promise<boolean> {
  const { db, producer, metrics, overdueMs, sweepMs } = deps;
  const turn = { name: 'renew-hints', everyMs: sweepMs };
  const isOurTurn = deps.queueIsReady() && (await takeSweepTurn(db, turn));
  const tasks = await findOverdueTasks(db, { overdueMs, limit: isOurTurn ? MAX_HINTS : 1 });
  metrics.oldestDueSeconds.set((tasks[0]?.overdueMs ?? 0) / 1_000);
  if (!isOurTurn || tasks.length === 0) return false;
  const hints = tasks.map(({ id, attempt, requestId }) => ({ taskId: id, attempt, traceId: requestId }));
  // After all others: what waits for long is taken from the database, in turns; these wake workers that have nothing to do.
  const turns = hints.map(() => LOWEST_PRIORITY);
  if ((await producer.add('generation', hints, { turns })) === 'queued')
    metrics.sweeps.inc({ what: 'hints' }, hints.length);
  return false;
}
