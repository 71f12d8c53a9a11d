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

/** Accounts whose webhooks were tried lately, and those of them that took none. */
export interface FailingReceivers {
  readonly sending: number;
  readonly failing: number;
  /** Some of those that took none. */
  readonly accounts: readonly string[];
}

const FIND_FAILING_RECEIVERS: Statement = {
  name: 'doctor-receivers',
  text: `
WITH recent AS (
  SELECT delivery_id, COALESCE(status BETWEEN 200 AND 299, false) AS is_taken FROM webhook_attempts
   WHERE ended_at > now() - interval '15 minutes' ORDER BY ended_at DESC LIMIT 5000
), by_account AS (
  SELECT d.account_id, bool_or(r.is_taken) AS is_taken FROM recent r JOIN webhook_deliveries d ON d.id = r.delivery_id GROUP BY 1
)
SELECT count(*)::int AS sending, count(*) FILTER (WHERE NOT is_taken)::int AS failing,
       COALESCE((array_agg(account_id ORDER BY account_id) FILTER (WHERE NOT is_taken))[1:5], '{}') AS accounts
  FROM by_account`,
};

/** Finds accounts to which no webhook could be delivered in the last 15 minutes, among the last 5,000 attempts. */
export async function findFailingReceivers(db: Pick<Database, 'run'>): Promise<FailingReceivers> {
  const [found] = await db.run<FailingReceivers>(FIND_FAILING_RECEIVERS, []);
  return found ?? { sending: 0, failing: 0, accounts: [] };
}
