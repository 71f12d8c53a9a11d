import type { Metrics } from '@image-gateway/shared/metrics';
import type { GenerationJob, Producer } from '@image-gateway/shared/queues';

/** Sends hints about new tasks, in the background and many at a time. */
export interface Hinter {
  readonly hint: (taskId: string, traceId: string) => void;
  /** Resolves when nothing is left to send. */
  readonly stop: () => Promise<void>;
}

/** Makes the sender of hints: what comes while one batch is on its way goes with the next. A lost hint costs a sweep, never a task. */
export function createHinter({
  producer,
  metrics,
}: {
  readonly producer: Pick<Producer, 'add'>;
  readonly metrics: Pick<Metrics, 'hints'>;
}): Hinter {
  let waiting: GenerationJob[] = [];
  let sending: Promise<void> | undefined;

  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      if ((await producer.add('generation', batch)) === 'queued')
        metrics.hints.inc({ queue: 'generation', result: 'sent' }, batch.length);
    }
    sending = undefined;
  };

  return {
    hint: (taskId, traceId) => {
      waiting.push({ taskId, attempt: 0, traceId });
      sending ??= sendAll();
    },
    stop: async () => {
      await sending;
    },
  };
}
