import type { CallSum } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';

/** Presents what the calls of each candidate came to. */
export function presentCalls(sums: readonly CallSum[]) {
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
