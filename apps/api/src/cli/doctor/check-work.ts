import { BY_TIME, type Database, type Statement } from '@image-gateway/shared/db';
import { explainError } from '../explain-error.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const WAITING: Statement = {
  name: 'doctor-waiting',
  text: `
SELECT 'tasks' AS what, count(*)::int AS count, COALESCE(EXTRACT(EPOCH FROM now() - min(due_at)), 0)::float8 AS seconds
  FROM tasks WHERE status = 'pending' AND phase = 'queued' AND ${BY_TIME} AND due_at < now() - interval '15 seconds'
UNION ALL
SELECT 'webhooks', count(*)::int, COALESCE(EXTRACT(EPOCH FROM now() - min(next_attempt_at)), 0)::float8
  FROM webhook_deliveries WHERE state = 'pending' AND next_attempt_at < now() - interval '15 seconds'`,
};
const FAULT_AFTER_SECONDS = 120;
const WORKERS: Readonly<Record<string, string>> = { tasks: 'generation worker', webhooks: 'webhook worker' };

/** Checks that due work is taken: what has been waiting for long shows that its workers are missing, hung or too few. */
export async function checkWork(db: Database): Promise<CheckResult[]> {
  try {
    const rows = await db.run<{ what: string; count: number; seconds: number }>(WAITING, []);
    return rows.map(({ what, count, seconds }) => {
      if (count === 0) return fine(what, 'none is overdue');
      const seen = `${count} overdue, the oldest for ${Math.round(seconds)} s`;
      const mend = `Start a ${WORKERS[what]}, or more of them, and look at its log.`;
      return seconds > FAULT_AFTER_SECONDS ? fault(what, seen, mend) : warning(what, seen, mend);
    });
  } catch (error) {
    return [warning('tasks', 'nobody knows', explainError(error).message)];
  }
}
