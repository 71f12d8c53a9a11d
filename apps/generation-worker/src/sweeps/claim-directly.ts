import {
  type ClaimTerms,
  claimExpiredTasks,
  claimOverdueTasks,
  type Database,
} from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { Claim } from '../attempt/open-attempt.js';

/** What claiming past the queue needs. */
export interface DirectClaimDeps {
  readonly db: Pick<Database, 'run'>;
  readonly terms: ClaimTerms;
  readonly metrics: Pick<Metrics, 'sweeps'>;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
}

/**
 * Claims tasks straight from the database: those whose worker died or hung, and those that have been due for `overdueMs`,
 * the oldest first. This is how work goes on without any hint.
 */
export async function claimDirectly(
  { db, terms, metrics, now }: DirectClaimDeps,
  { limit, overdueMs }: { readonly limit: number; readonly overdueMs: number },
): Promise<Claim[]> {
  const claims: Claim[] = [];
  const claim = async (what: string, claimSome: (count: number) => ReturnType<typeof claimExpiredTasks>) => {
    const count = limit - claims.length;
    if (count <= 0) return;
    const sentAt = now();
    const tasks = await claimSome(count);
    claims.push(...tasks.map((task) => ({ task, sentAt, answeredAt: now() })));
    if (tasks.length > 0) metrics.sweeps.inc({ what }, tasks.length);
  };
  await claim('claimed-expired', (count) => claimExpiredTasks(db, terms, { limit: count }));
  await claim('claimed-overdue', (count) => claimOverdueTasks(db, terms, { limit: count, overdueMs }));
  return claims;
}
