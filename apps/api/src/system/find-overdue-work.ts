import { BY_TIME, type Database, type Statement } from '@image-gateway/shared/db';

/** Work that is due for 15 seconds or more. */
export interface OverdueWork {
  readonly what: 'tasks' | 'webhooks';
  readonly count: number;
  /** Seconds since the oldest item was due. */
  readonly seconds: number;
}

const FIND_OVERDUE_WORK: Statement = {
  name: 'doctor-waiting',
  text: `
SELECT 'tasks' AS what, count(*)::int AS count, COALESCE(EXTRACT(EPOCH FROM now() - min(due_at)), 0)::float8 AS seconds
  FROM tasks WHERE status = 'pending' AND phase = 'queued' AND ${BY_TIME} AND due_at < now() - interval '15 seconds'
UNION ALL
SELECT 'webhooks', count(*)::int, COALESCE(EXTRACT(EPOCH FROM now() - min(next_attempt_at)), 0)::float8
  FROM webhook_deliveries WHERE state = 'pending' AND next_attempt_at < now() - interval '15 seconds'`,
};

/** Counts overdue work: tasks, then webhooks. */
export async function findOverdueWork(db: Pick<Database, 'run'>): Promise<OverdueWork[]> {
  return db.run<OverdueWork>(FIND_OVERDUE_WORK, []);
}
