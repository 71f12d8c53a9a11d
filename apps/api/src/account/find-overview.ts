import {
  type Account,
  type AccountReads,
  listTasks,
  type Statement,
  type UsageDaily,
} from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import type { OverviewView } from '@image-gateway/shared/usage/schema';
import type { Offers } from '../catalog/create-offers.js';
import { listImagePrices } from '../catalog/list-image-prices.js';
import { presentTaskItem } from '../task/present-task-item.js';

const LAST_TASKS = 6;

interface Overview extends Readonly<Pick<Account, 'balanceMicros' | 'heldMicros' | 'openCount'>> {
  readonly activeKeys: number;
  readonly completed: number;
  readonly failed: number;
}

interface OverviewDay extends Readonly<Pick<UsageDaily, 'costMicros' | 'units'>> {
  /** Such as `2026-01-31`. */
  readonly day: string;
}

// Whole buckets are counted by their counters, the bucket in which the thirty days begin by its tasks.
const FIND_OVERVIEW: Statement = {
  name: 'dashboard-overview',
  text: `
WITH whole AS (
  SELECT COALESCE(min(c.starts_at), 'infinity') AS starts_at, COALESCE(sum(c.completed), 0) AS completed,
         COALESCE(sum(c.failed), 0) AS failed
    FROM task_counts c WHERE c.account_id = $1 AND c.starts_at > now() - interval '30 days'),
head AS (
  SELECT count(*) FILTER (WHERE t.status = 'completed') AS completed, count(*) FILTER (WHERE t.status = 'failed') AS failed
    FROM tasks t WHERE t.account_id = $1 AND t.created_at > now() - interval '30 days'
     AND t.created_at < (SELECT starts_at FROM whole) AND t.deleted_at IS NULL)
SELECT a.balance_micros AS "balanceMicros", a.held_micros AS "heldMicros", a.open_count AS "openCount",
       (SELECT count(*)::int FROM api_keys k
         WHERE k.account_id = a.id AND k.revoked_at IS NULL AND COALESCE(k.expires_at > now(), true)) AS "activeKeys",
       (whole.completed + head.completed)::int AS completed, (whole.failed + head.failed)::int AS failed
  FROM accounts a, whole, head WHERE a.id = $1`,
};

const FIND_DAYS: Statement = {
  name: 'dashboard-overview-days',
  text: `
SELECT d.day::date::text AS day, COALESCE(sum(u.cost_micros), 0)::int8 AS "costMicros",
       COALESCE(sum(u.units), 0)::int8 AS units
  FROM generate_series((now() AT TIME ZONE 'UTC')::date - 29, (now() AT TIME ZONE 'UTC')::date, interval '1 day') AS d(day)
  LEFT JOIN usage_daily u ON u.account_id = $1 AND u.day = d.day::date
 GROUP BY d.day ORDER BY d.day`,
};

/** Returns the overview of an account: money, counts, the last thirty days (UTC, oldest first) and the newest tasks. */
export async function findOverview(
  {
    db,
    fileUrl,
    offers,
  }: { readonly db: AccountReads; readonly fileUrl: string; readonly offers: Pick<Offers, 'describe'> },
  accountId: string,
): Promise<OverviewView> {
  const [[overview], days, tasks, { models }] = await Promise.all([
    db.run<Overview>(FIND_OVERVIEW, [accountId]),
    db.run<OverviewDay>(FIND_DAYS, [accountId]),
    listTasks(db, accountId, {}, { limit: LAST_TASKS, offset: 0n }),
    offers.describe(),
  ]);
  if (!overview) {
    throw new Error('the account of a session does not exist');
  }
  const { balanceMicros, heldMicros } = overview;
  const prices = listImagePrices(models);
  const [cheapest = null] = prices;
  const dearest = prices.at(-1) ?? null;
  return {
    balance: formatDollars(balanceMicros),
    held: formatDollars(heldMicros),
    available: formatDollars(balanceMicros - heldMicros),
    image_prices: cheapest &&
      dearest && {
        cheapest: formatDollars(cheapest.priceMicros),
        dearest: formatDollars(dearest.priceMicros),
      },
    open_tasks: overview.openCount,
    active_keys: overview.activeKeys,
    days: days.map(({ day, costMicros, units }) => ({
      day,
      cost: formatDollars(costMicros),
      units: Number(units),
    })),
    spent: formatDollars(days.reduce((sum, { costMicros }) => sum + costMicros, 0n)),
    completed: overview.completed,
    failed: overview.failed,
    last_tasks: tasks.rows.map((row) => presentTaskItem(row, fileUrl)),
  };
}
