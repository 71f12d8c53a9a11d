import type { CallState, Database, Statement } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';

interface Row {
  readonly provider: string;
  readonly model: string;
  readonly detail: string | null;
  readonly state: CallState;
  readonly calls: number;
  readonly images: number;
  /** Micro-dollars. */
  readonly costMicros: bigint;
  /** Mean time from the call to its outcome in milliseconds; null while none has ended. */
  readonly meanMs: number | null;
  readonly lastAt: Date;
}

const SUM_CALLS: Statement = {
  name: 'sum-calls',
  text: `
SELECT provider, model, state, detail, COUNT(*)::float8 AS calls, SUM(images_asked)::float8 AS images,
       COALESCE(SUM(cost_micros), 0)::bigint AS "costMicros",
       (AVG(EXTRACT(EPOCH FROM finished_at - created_at)) * 1000)::float8 AS "meanMs", MAX(created_at) AS "lastAt"
  FROM provider_calls WHERE created_at > now() - make_interval(secs => $1::float8 / 1000)
 GROUP BY provider, model, state, detail ORDER BY provider, model, calls DESC`,
};

/** Sums the calls of the last `withinMs` by candidate and outcome. */
export async function sumCandidateCalls(
  db: Pick<Database, 'run'>,
  { withinMs }: { readonly withinMs: number },
) {
  const sums = await db.run<Row>(SUM_CALLS, [withinMs]);
  return sums.map((sum) => ({
    provider: sum.provider,
    model: sum.model,
    state: sum.state,
    detail: sum.detail,
    calls: sum.calls,
    images: sum.images,
    cost: formatDollars(sum.costMicros),
    mean_ms: sum.meanMs === null ? null : Math.round(sum.meanMs),
    last_at: sum.lastAt.toISOString(),
  }));
}
