import type { Database } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import { sumProviderCalls } from './sum-provider-calls.js';

/** Lists the provider calls of the last `withinMs` by model and outcome. */
export async function listCallOutcomes(
  db: Pick<Database, 'run'>,
  { withinMs }: { readonly withinMs: number },
) {
  const { outcomes } = await sumProviderCalls(db, { withinMs });
  return outcomes.map((sum) => ({
    provider: sum.provider,
    model: sum.model,
    state: sum.state,
    detail: sum.detail,
    calls: sum.calls,
    images: sum.images,
    cost: formatDollars(sum.costMicros),
    mean_ms: sum.meanMs === null ? null : Math.round(sum.meanMs),
    last_at: sum.lastCallAt.toISOString(),
  }));
}
