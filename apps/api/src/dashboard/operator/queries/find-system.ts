import { BY_TIME, type Database, type Statement } from '@image-gateway/shared/db';

/** The whole gateway at a glance; today is the day in UTC. Money in micro-dollars. */
export interface System {
  readonly accounts: number;
  readonly suspended: number;
  readonly openTasks: number;
  readonly stuckTasks: number;
  readonly completedToday: number;
  readonly failedToday: number;
  readonly revenueMicros: bigint;
  readonly balanceMicros: bigint;
  readonly heldMicros: bigint;
  readonly webhooksFailedToday: number;
}

/** A task that should have moved on: due or out of its lease for longer than sweeps need, or near its end without a result. */
export const IS_STUCK = `(
  (t.phase = 'queued' AND t.due_at < now() - interval '30 seconds')
  OR (t.phase = 'running' AND t.lease_until < now() - interval '15 seconds')
  OR t.deadline_at < now() + interval '1 minute')`;

const FIND_SYSTEM: Statement = {
  name: 'dashboard-system',
  text: `
SELECT a.*, t.*, d.*,
       (SELECT count(*)::int FROM tasks t WHERE t.status = 'failed' AND t.completed_at >= date_trunc('day', now(), 'UTC'))
         AS "failedToday",
       (SELECT count(*)::int FROM webhook_deliveries w WHERE w.state = 'failed' AND w.created_at >= now() - interval '4 days'
           AND EXISTS (SELECT 1 FROM webhook_attempts x WHERE x.delivery_id = w.id AND x.ended_at >= date_trunc('day', now(), 'UTC')))
         AS "webhooksFailedToday"
  FROM (SELECT count(*)::int AS accounts, count(*) FILTER (WHERE status = 'suspended')::int AS suspended,
               COALESCE(sum(balance_micros), 0)::int8 AS "balanceMicros", COALESCE(sum(held_micros), 0)::int8 AS "heldMicros"
          FROM accounts) a,
       (SELECT count(*)::int AS "openTasks", count(*) FILTER (WHERE ${IS_STUCK})::int AS "stuckTasks"
          FROM tasks t WHERE t.status = 'pending' AND ${BY_TIME}) t,
       (SELECT COALESCE(sum(requests), 0)::int AS "completedToday", COALESCE(sum(cost_micros), 0)::int8 AS "revenueMicros"
          FROM usage_daily WHERE day = (now() AT TIME ZONE 'UTC')::date) d`,
};

/** Reads how the whole gateway does. */
export async function findSystem(db: Pick<Database, 'run'>): Promise<System> {
  const [system] = await db.run<System>(FIND_SYSTEM, []);
  if (!system) throw new Error('a statement that always has a row had none');
  return system;
}
