import type { Database, Statement, UnpaidLimits } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { SystemView } from '@image-gateway/shared/system/schema';
import { selectStuckTaskIds } from '../task/is-stuck.js';

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
  readonly signupsWithoutCredit: number;
  readonly unpaidBytes: number;
}

/** Stuck tasks of one kind that are counted. */
const MAX_STUCK = 5_000;

// Of tasks and webhooks it reads counters only: neither history nor a backlog makes it slow.
const FIND_SYSTEM: Statement = {
  name: 'dashboard-system',
  text: `
SELECT a.*, d.*, h.*,
       (SELECT count(*)::int FROM audit_entries
         WHERE action = 'signup.credit_exhausted' AND created_at >= date_trunc('day', now(), 'UTC')) AS "signupsWithoutCredit",
       (SELECT COALESCE(sum(bytes), 0)::float8 FROM sum_unpaid_uploads()) AS "unpaidBytes",
       (SELECT count(*)::int FROM (${selectStuckTaskIds(String(MAX_STUCK))}) s) AS "stuckTasks"
  FROM (SELECT count(*)::int AS accounts, count(*) FILTER (WHERE status = 'suspended')::int AS suspended,
               COALESCE(sum(balance_micros), 0)::int8 AS "balanceMicros", COALESCE(sum(held_micros), 0)::int8 AS "heldMicros",
               COALESCE(sum(open_count), 0)::int AS "openTasks"
          FROM accounts) a,
       (SELECT COALESCE(sum(requests), 0)::int AS "completedToday", COALESCE(sum(cost_micros), 0)::int8 AS "revenueMicros"
          FROM usage_daily WHERE day = (now() AT TIME ZONE 'UTC')::date) d,
       (SELECT COALESCE(sum(failed), 0)::int AS "failedToday", COALESCE(sum(failed_webhooks), 0)::int AS "webhooksFailedToday"
          FROM task_hours WHERE hour >= date_trunc('day', now(), 'UTC')) h`,
};

/** Returns the overview of the gateway for operators. */
export async function findSystem(
  db: Pick<Database, 'run'>,
  { allBytes }: Pick<UnpaidLimits, 'allBytes'>,
): Promise<SystemView> {
  const [system] = await db.run<Row>(FIND_SYSTEM, []);
  if (!system) {
    throw new Error('a statement that always has a row had none');
  }
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
    signups_without_credit_today: system.signupsWithoutCredit,
    unpaid_files_percent: Math.floor((system.unpaidBytes * 100) / allBytes),
  };
}
