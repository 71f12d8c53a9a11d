import type { Metrics } from '@image-gateway/shared/metrics';
import type { GenerationJob, Producer } from '@image-gateway/shared/queues';

/** Sends hints about new tasks, in the background and many at a time. */
export interface TaskEnqueuer {
  /** `openCount`: number of open tasks of the account, this one included. */
  readonly enqueue: (taskId: string, traceId: string, openCount: number) => void;
  /** Resolves when nothing is left to send. */
  readonly stop: () => Promise<void>;
}

/** Workers take a backlog from the database, in rounds over the accounts: hints about it would only fill Redis. */
const MAX_HINTS_PER_ACCOUNT = 256;
const MAX_WAITING = 10_000;
const COUNT_INTERVAL_MS = 500;

/**
 * Creates the sender of hints: those that arrive while a batch is being sent go with the next one. A lost hint costs a sweep,
 * never a task.
 */
export function createTaskEnqueuer({
  producer,
  metrics,
  now = () => performance.now(),
}: {
  readonly producer: Pick<Producer, 'add' | 'waitingCount'>;
  readonly metrics: Pick<Metrics, 'hints'>;
  readonly now?: () => number;
}): TaskEnqueuer {
  let waiting: { readonly job: GenerationJob; readonly turn: number }[] = [];
  let sending: Promise<void> | undefined;
  let backlogged = false;
  let countedAt = Number.NEGATIVE_INFINITY;

  const count = (result: 'sent' | 'spared', hints: number): void =>
    metrics.hints.inc({ queue: 'generation', result }, hints);
  const look = async (): Promise<void> => {
    if (now() - countedAt < COUNT_INTERVAL_MS) {
      return;
    }
    countedAt = now();
    backlogged = ((await producer.waitingCount('generation')) ?? 0) > MAX_WAITING;
  };
  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const turns = batch.map(({ turn }) => turn);
      const jobs = batch.map(({ job }) => job);
      if ((await producer.add('generation', jobs, { turns })) === 'queued') {
        count('sent', batch.length);
      }
      await look();
    }
    sending = undefined;
  };

  return {
    enqueue: (taskId, traceId, openCount) => {
      // From time to time one is sent all the same, so that the queue is counted again.
      const spared =
        openCount > MAX_HINTS_PER_ACCOUNT || (backlogged && now() - countedAt < COUNT_INTERVAL_MS);
      if (spared) {
        return count('spared', 1);
      }
      // The first task of an account goes before the second ones of all others, however many those have submitted before it.
      waiting.push({ job: { taskId, attempt: 0, traceId }, turn: openCount });
      sending ??= sendAll();
    },
    stop: async () => {
      await sending;
    },
  };
}
