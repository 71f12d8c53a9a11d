import type { Database, Statement } from '@image-gateway/shared/db';

/** An account at a glance. Money in micro-dollars. */
export interface Overview {
  readonly balanceMicros: bigint;
  readonly heldMicros: bigint;
  readonly openCount: number;
  readonly activeKeys: number;
  readonly completed: number;
  readonly failed: number;
}

/** A day of an account. Money in micro-dollars. */
export interface OverviewDay {
  readonly day: string;
  readonly costMicros: bigint;
  readonly units: bigint;
}

const FIND_OVERVIEW: Statement = {
  name: 'dashboard-overview',
  text: `
SELECT a.balance_micros AS "balanceMicros", a.held_micros AS "heldMicros", a.open_count AS "openCount",
       (SELECT count(*)::int FROM api_keys k
         WHERE k.account_id = a.id AND k.revoked_at IS NULL AND COALESCE(k.expires_at > now(), true)) AS "activeKeys",
       ended.completed, ended.failed
  FROM accounts a, LATERAL (
    SELECT count(*) FILTER (WHERE t.status = 'completed')::int AS completed,
           count(*) FILTER (WHERE t.status = 'failed')::int AS failed
      FROM tasks t WHERE t.account_id = a.id AND t.created_at > now() - interval '30 days') ended
 WHERE a.id = $1`,
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

/** Reads an account's money, counts and last thirty days (UTC), oldest first. */
export async function findOverview(
  db: Pick<Database, 'run'>,
  accountId: string,
): Promise<{ readonly overview: Overview; readonly days: readonly OverviewDay[] }> {
  const [[overview], days] = await Promise.all([
    db.run<Overview>(FIND_OVERVIEW, [accountId]),
    db.run<OverviewDay>(FIND_DAYS, [accountId]),
  ]);
  if (!overview) throw new Error('the account of a session is gone');
  return { overview, days };
}
