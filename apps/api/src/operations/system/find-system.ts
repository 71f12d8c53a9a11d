import type { SystemView } from '@image-gateway/shared/contract';
import { BY_TIME, type Database, type Statement } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import { IS_STUCK } from '../task/is-stuck.js';

/** Today is the day in UTC. */
interface Row {
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

/** Returns the whole gateway at a glance. */
export async function findSystem(db: Pick<Database, 'run'>): Promise<SystemView> {
  const [system] = await db.run<Row>(FIND_SYSTEM, []);
  if (!system) throw new Error('a statement that always has a row had none');
  return {
    accounts: system.accounts,
    suspended: system.suspended,
    open_tasks: system.openTasks,
    stuck_tasks: system.stuckTasks,
    completed_today: system.completedToday,
    failed_today: system.failedToday,
    revenue_today: formatDollars(system.revenueMicros),
    balances: formatDollars(system.balanceMicros),
    held: formatDollars(system.heldMicros),
    webhooks_failed_today: system.webhooksFailedToday,
  };
}
