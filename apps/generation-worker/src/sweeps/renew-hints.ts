import { type Database, findOverdueTasks } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import { LAST_TURN, type Producer } from '@image-gateway/shared/queues';

/** What renewing hints needs. */
export interface RenewDeps {
  readonly db: Pick<Database, 'run'>;
  readonly producer: Pick<Producer, 'add'>;
  readonly metrics: Pick<Metrics, 'sweeps' | 'oldestDueSeconds'>;
  /** How long a task has to be overdue, in milliseconds. */
  readonly overdueMs: number;
}

const AT_A_TIME = 500;

/** Hints once more at tasks that have been due for a while: their first hint may be lost. One that is not lost makes this one vanish. */
export async function renewHints({ db, producer, metrics, overdueMs }: RenewDeps): Promise<void> {
  const tasks = await findOverdueTasks(db, { overdueMs, limit: AT_A_TIME });
  metrics.oldestDueSeconds.set((tasks[0]?.overdueMs ?? 0) / 1_000);
  if (tasks.length === 0) return;
  const hints = tasks.map(({ id, attempt, requestId }) => ({ taskId: id, attempt, traceId: requestId }));
  // After all others: what waits for long is taken from the database, in turns; these wake workers that have nothing to do.
  const turns = hints.map(() => LAST_TURN);
  if ((await producer.add('generation', hints, { turns })) === 'queued')
    metrics.sweeps.inc({ what: 'hints' }, hints.length);
}
