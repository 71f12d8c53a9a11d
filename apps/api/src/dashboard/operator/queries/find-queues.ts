import { BY_TIME, type Database, type Statement } from '@image-gateway/shared/db';

/** What waits and what runs, by the database's word. */
export interface QueueState {
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

/** Reads how much work is due, comes later and is under way. */
export async function findQueues(db: Pick<Database, 'run'>): Promise<readonly QueueState[]> {
  return db.run<QueueState>(FIND_QUEUES, []);
}
