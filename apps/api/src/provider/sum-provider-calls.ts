import type { CallState, Database, ProviderCall, Statement } from '@image-gateway/shared/db';
import { addBuckets, estimatePercentile, sumBuckets } from './duration-buckets.js';

/** Figures of a group of provider calls. Money in micro-dollars. */
interface CallFigures {
  readonly calls: number;
  readonly costMicros: bigint;
  readonly lastCallAt: Date;
}

/** Figures of all calls to a provider. */
export interface ProviderSum extends CallFigures, Readonly<Pick<ProviderCall, 'provider'>> {
  readonly succeeded: number;
  readonly failed: number;
  readonly refused: number;
  readonly rateLimited: number;
  readonly unknown: number;
  readonly open: number;
  /** Estimates for the successful calls; null while there is none. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** Figures of the calls to a model of a provider with the same outcome. */
export interface OutcomeSum
  extends CallFigures,
    Readonly<Pick<ProviderCall, 'provider' | 'model' | 'detail'>> {
  readonly state: CallState;
  readonly images: number;
  /** Mean time from the call to its outcome; null while there is none. */
  readonly meanMs: number | null;
}

type Row = OutcomeSum & { readonly durations: readonly number[] };

// Calls with an outcome are read from their hours, the others through the index over open calls: no span has to be scanned.
const SUM_PROVIDER_CALLS: Statement = {
  name: 'sum-provider-calls',
  text: `
SELECT provider, model, state, NULLIF(detail, '') AS detail, sum(calls)::float8 AS calls, sum(images)::float8 AS images,
       sum(cost_micros)::int8 AS "costMicros", (sum(total_ms) / sum(calls))::float8 AS "meanMs", max(last_call_at) AS "lastCallAt",
       ${sumBuckets('durations')} AS durations
  FROM provider_call_hours
 WHERE hour >= date_trunc('hour', now() - make_interval(secs => $1::float8 / 1000), 'UTC')
 GROUP BY provider, model, state, detail HAVING sum(calls) > 0
UNION ALL
SELECT provider, model, state, NULL, count(*)::float8, sum(images_asked)::float8, COALESCE(sum(cost_micros), 0)::int8, NULL,
  max(created_at), '{}'
  FROM provider_calls WHERE state IN ('started', 'submitted') GROUP BY provider, model, state
 ORDER BY provider, model, calls DESC`,
};

const FAILED: ReadonlySet<CallState> = new Set(['failed', 'unusable', 'short', 'cut']);
const OPEN: ReadonlySet<CallState> = new Set(['started', 'submitted']);

/** Sums the provider calls by provider, and by model and outcome: open ones, and those since the full hour `withinMs` ago. */
export async function sumProviderCalls(
  db: Pick<Database, 'run'>,
  { withinMs }: { readonly withinMs: number },
): Promise<{ readonly providers: readonly ProviderSum[]; readonly outcomes: readonly OutcomeSum[] }> {
  const outcomes = await db.run<Row>(SUM_PROVIDER_CALLS, [withinMs]);
  const names = [...new Set(outcomes.map(({ provider }) => provider))];
  return {
    providers: names.map((name) =>
      sumOutcomes(
        name,
        outcomes.filter(({ provider }) => provider === name),
      ),
    ),
    outcomes,
  };
}

function sumOutcomes(provider: string, outcomes: readonly Row[]): ProviderSum {
  const count = (isCounted: (state: CallState) => boolean): number =>
    outcomes.filter(({ state }) => isCounted(state)).reduce((sum, { calls }) => sum + calls, 0);
  const buckets = addBuckets(outcomes.map(({ durations }) => durations));
  return {
    provider,
    calls: count(() => true),
    succeeded: count((state) => state === 'succeeded'),
    failed: count((state) => FAILED.has(state)),
    refused: count((state) => state === 'refused'),
    rateLimited: count((state) => state === 'rate_limited'),
    unknown: count((state) => state === 'unknown'),
    open: count((state) => OPEN.has(state)),
    p50Ms: estimatePercentile(buckets, 0.5),
    p95Ms: estimatePercentile(buckets, 0.95),
    costMicros: outcomes.reduce(
      (sum, { state, costMicros }) => (state === 'rate_limited' ? sum : sum + costMicros),
      0n,
    ),
    lastCallAt: new Date(Math.max(...outcomes.map(({ lastCallAt }) => lastCallAt.getTime()))),
  };
}
