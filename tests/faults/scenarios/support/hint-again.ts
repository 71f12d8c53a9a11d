import { createLogger } from '@image-gateway/shared/logging';
import { createProducer, createRedis } from '@image-gateway/shared/queues';

/** Hints at every task so many times under job ids that nobody has used; says how many hints went out. */
export async function hintAgain(url: string, taskIds: readonly string[], times: number): Promise<number> {
  const logger = createLogger({ service: 'faults', level: 'error' });
  const redis = createRedis({ url, mode: 'fail-fast', name: 'faults', logger });
  const producer = createProducer({ redis, onFailure: () => undefined });
  let sent = 0;
  try {
    for (let attempt = 100; attempt < 100 + times; attempt += 1) {
      const hints = taskIds.map((taskId) => ({ taskId, attempt, traceId: 'faults' }));
      if ((await producer.add('generation', hints)) === 'queued') {
        sent += hints.length;
      }
    }
  } finally {
    await producer.close();
    redis.disconnect();
  }
  return sent;
}
