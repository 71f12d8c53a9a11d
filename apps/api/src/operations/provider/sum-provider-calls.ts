import type { CallState, Database, ProviderCall, Statement } from '@image-gateway/shared/db';

/** Figures of a group of provider calls. Money in micro-dollars. */
interface CallFigures {
  readonly calls: number;
  readonly images: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly refused: number;
  readonly rateLimited: number;
  readonly unknown: number;
  readonly open: number;
  /** Mean time from the call to its outcome; null while none has ended. */
  readonly meanMs: number | null;
  /** Percentiles of the successful calls; null while there is none. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly costMicros: bigint;
  readonly lastCallAt: Date;
}

/** Figures of all calls to a provider. */
export interface ProviderSum extends CallFigures, Readonly<Pick<ProviderCall, 'provider'>> {}

/** Figures of the calls to a model of a provider with the same outcome. */
export interface OutcomeSum
  extends CallFigures,
    Readonly<Pick<ProviderCall, 'provider' | 'model' | 'detail'>> {
  readonly state: CallState;
}

type Row = OutcomeSum & { readonly isWholeProvider: boolean };

const SUM_PROVIDER_CALLS: Statement = {
  name: 'sum-provider-calls',
  text: `
SELECT provider, model, state, detail, grouping(model) = 1 AS "isWholeProvider",
       count(*)::int AS calls, sum(images_asked)::float8 AS images,
       count(*) FILTER (WHERE state = 'succeeded')::int AS succeeded,
       count(*) FILTER (WHERE state IN ('failed', 'unusable', 'short', 'cut'))::int AS failed,
       count(*) FILTER (WHERE state = 'refused')::int AS refused,
       count(*) FILTER (WHERE state = 'rate_limited')::int AS "rateLimited",
       count(*) FILTER (WHERE state = 'unknown')::int AS unknown,
       count(*) FILTER (WHERE state IN ('started', 'submitted'))::int AS open,
       (avg(EXTRACT(EPOCH FROM finished_at - created_at)) * 1000)::float8 AS "meanMs",
       percentile_cont(0.5) WITHIN GROUP (ORDER BY EXTRACT(EPOCH FROM finished_at - created_at) * 1000)
         FILTER (WHERE state = 'succeeded') AS "p50Ms",
       percentile_cont(0.95) WITHIN GROUP (ORDER BY EXTRACT(EPOCH FROM finished_at - created_at) * 1000)
         FILTER (WHERE state = 'succeeded') AS "p95Ms",
       COALESCE(sum(cost_micros) FILTER (WHERE state <> 'rate_limited'), 0)::int8 AS "costMicros",
       max(created_at) AS "lastCallAt"
  FROM provider_calls WHERE created_at > now() - make_interval(secs => $1::float8 / 1000)
 GROUP BY GROUPING SETS ((provider), (provider, model, state, detail))
 ORDER BY provider, model, calls DESC`,
};

/** Sums the provider calls of the last `withinMs` by provider, and by model and outcome. */
export async function sumProviderCalls(
  db: Pick<Database, 'run'>,
  { withinMs }: { readonly withinMs: number },
): Promise<{ readonly providers: readonly ProviderSum[]; readonly outcomes: readonly OutcomeSum[] }> {
  const rows = await db.run<Row>(SUM_PROVIDER_CALLS, [withinMs]);
  return {
    providers: rows.filter(({ isWholeProvider }) => isWholeProvider),
    outcomes: rows.filter(({ isWholeProvider }) => !isWholeProvider),
  };
}
