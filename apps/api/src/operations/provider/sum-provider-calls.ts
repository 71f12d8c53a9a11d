import type { Database, Statement } from '@image-gateway/shared/db';

/** How the calls to one provider went. Money in micro-dollars. */
export interface ProviderSum {
  readonly provider: string;
  readonly calls: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly refused: number;
  readonly rateLimited: number;
  readonly unknown: number;
  readonly open: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly costMicros: bigint;
  readonly lastCallAt: Date;
}

const SUM_PROVIDER_CALLS: Statement = {
  name: 'dashboard-provider-calls',
  text: `
SELECT provider, count(*)::int AS calls,
       count(*) FILTER (WHERE state = 'succeeded')::int AS succeeded,
       count(*) FILTER (WHERE state IN ('failed', 'unusable', 'short', 'cut'))::int AS failed,
       count(*) FILTER (WHERE state = 'refused')::int AS refused,
       count(*) FILTER (WHERE state = 'rate_limited')::int AS "rateLimited",
       count(*) FILTER (WHERE state = 'unknown')::int AS unknown,
       count(*) FILTER (WHERE state IN ('started', 'submitted'))::int AS open,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY EXTRACT(EPOCH FROM finished_at - created_at) * 1000)
         FILTER (WHERE state = 'succeeded') AS "p50Ms",
       percentile_cont(0.95) WITHIN GROUP (ORDER BY EXTRACT(EPOCH FROM finished_at - created_at) * 1000)
         FILTER (WHERE state = 'succeeded') AS "p95Ms",
       COALESCE(sum(cost_micros) FILTER (WHERE state <> 'rate_limited'), 0)::int8 AS "costMicros",
       max(created_at) AS "lastCallAt"
  FROM provider_calls WHERE created_at > now() - make_interval(hours => $1::int)
 GROUP BY provider ORDER BY provider`,
};

const SUM_REVENUE: Statement = {
  name: 'dashboard-revenue',
  text: `
SELECT COALESCE(sum(cost_micros), 0)::int8 AS "revenueMicros"
  FROM usage_records WHERE created_at > now() - make_interval(hours => $1::int)`,
};

/** Sums up the calls of the last hours by provider, and what customers were charged in the same hours. */
export async function sumProviderCalls(
  db: Pick<Database, 'run'>,
  hours: number,
): Promise<{ readonly providers: readonly ProviderSum[]; readonly revenueMicros: bigint }> {
  const [providers, [revenue]] = await Promise.all([
    db.run<ProviderSum>(SUM_PROVIDER_CALLS, [hours]),
    db.run<{ revenueMicros: bigint }>(SUM_REVENUE, [hours]),
  ]);
  return { providers, revenueMicros: revenue?.revenueMicros ?? 0n };
}
