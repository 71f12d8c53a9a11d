import type { QueueItem } from '@image-gateway/shared/contract';
import { BY_TIME, type Database, type Statement } from '@image-gateway/shared/db';
import type { QueueInspector } from '@image-gateway/shared/queues';

interface Row {
  readonly name: 'generation' | 'webhook';
  readonly due: number;
  readonly later: number;
  readonly running: number;
  readonly oldestSeconds: number | null;
}

const FIND_QUEUES: Statement = {
  name: 'dashboard-queues',
  text: `
SELECT 'generation' AS name,
       count(*) FILTER (WHERE phase = 'queued' AND due_at <= now())::int AS due,
       count(*) FILTER (WHERE phase = 'queued' AND due_at > now())::int AS later,
       count(*) FILTER (WHERE phase = 'running')::int AS running,
       EXTRACT(EPOCH FROM now() - min(due_at) FILTER (WHERE phase = 'queued' AND due_at <= now()))::float8 AS "oldestSeconds"
  FROM tasks WHERE status = 'pending' AND ${BY_TIME}
UNION ALL
SELECT 'webhook',
       count(*) FILTER (WHERE state = 'pending' AND next_attempt_at <= now())::int,
       count(*) FILTER (WHERE state = 'pending' AND next_attempt_at > now())::int,
       count(*) FILTER (WHERE state = 'sending')::int,
       EXTRACT(EPOCH FROM now() - min(next_attempt_at) FILTER (WHERE state = 'pending' AND next_attempt_at <= now()))::float8
  FROM webhook_deliveries WHERE state IN ('pending', 'sending')`,
};

/** Returns what waits and what runs by the database's word, and the hints in Redis; null where Redis does not answer. */
export async function findQueues({
  db,
  inspector,
}: {
  readonly db: Pick<Database, 'run'>;
  readonly inspector: QueueInspector;
}): Promise<QueueItem[]> {
  const [queues, ...hints] = await Promise.all([
    db.run<Row>(FIND_QUEUES, []),
    inspector.look('generation'),
    inspector.look('webhook'),
  ]);
  return queues.map(({ name, due, later, running, oldestSeconds }) => {
    const seen = hints[name === 'generation' ? 0 : 1] ?? null;
    return {
      name,
      due,
      later,
      running,
      oldest_seconds: oldestSeconds === null ? null : Math.max(0, Math.round(oldestSeconds)),
      hints: seen?.hints ?? null,
      consumers: seen?.consumers ?? null,
    };
  });
}
