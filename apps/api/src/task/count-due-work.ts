import { BY_TIME, type Database, type Statement } from '@image-gateway/shared/db';

/** Due rows of each kind that are counted at most, so that a backlog never makes the count slow. */
const MAX_COUNTED = 20_000;

const DUE_TASKS = `FROM tasks WHERE status = 'pending' AND phase = 'queued' AND ${BY_TIME} AND due_at <= now()`;
const DUE_DELIVERIES = `FROM webhook_deliveries WHERE state = 'pending' AND next_attempt_at <= now()`;

/** Query that counts due tasks, for autoscalers too. */
export const COUNT_DUE_TASKS = `SELECT count(*) FROM (SELECT 1 ${DUE_TASKS} LIMIT ${MAX_COUNTED}) due`;

/** Query that counts due webhooks, for autoscalers too. */
export const COUNT_DUE_DELIVERIES = `SELECT count(*) FROM (SELECT 1 ${DUE_DELIVERIES} LIMIT ${MAX_COUNTED}) due`;

/** Work that could begin now and waits. */
export interface DueWork {
  /** Due tasks, at most 20,000. */
  readonly tasks: number;
  /** Due webhooks, at most 20,000. */
  readonly deliveries: number;
  /** Seconds for which the oldest of them has been waiting for a worker; 0 when nothing is. */
  readonly oldestSeconds: number;
}

// A webhook whose account or receiver is being called waits for them, and more workers would change little. A single
// account with receivers that never respond must not wake operators.
const COUNT_DUE_WORK: Statement = {
  name: 'count-due-work',
  text: `
WITH called AS MATERIALIZED (
  SELECT account_id, host_port FROM webhook_deliveries WHERE state = 'sending' AND lease_until > now())
SELECT (${COUNT_DUE_TASKS})::int AS tasks, (${COUNT_DUE_DELIVERIES})::int AS deliveries,
       COALESCE(EXTRACT(EPOCH FROM now() - LEAST(
         (SELECT due_at ${DUE_TASKS} ORDER BY due_at LIMIT 1),
         (SELECT d.next_attempt_at
            FROM (SELECT account_id, host_port, next_attempt_at ${DUE_DELIVERIES} ORDER BY next_attempt_at LIMIT ${MAX_COUNTED}) d
           WHERE d.account_id NOT IN (SELECT account_id FROM called) AND d.host_port NOT IN (SELECT host_port FROM called)
           ORDER BY d.next_attempt_at LIMIT 1))), 0)::float8 AS "oldestSeconds"`,
};

/** Counts due tasks and webhooks. */
export async function countDueWork(db: Pick<Database, 'run'>): Promise<DueWork> {
  const [work] = await db.run<DueWork>(COUNT_DUE_WORK, []);
  if (!work) {
    throw new Error('a statement that always has a row had none');
  }
  return work;
}
