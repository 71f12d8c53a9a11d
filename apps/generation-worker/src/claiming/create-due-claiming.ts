import { pause } from '@image-gateway/shared/lifecycle';
import type { Claim, Claims } from './create-claims.js';
import type { WorkerPool } from './create-worker-pool.js';

/** Dependencies of claiming due tasks. */
export interface ClaimDueDeps {
  readonly claims: Pick<Claims, 'claimDue'>;
  readonly pool: Pick<WorkerPool, 'tryFill' | 'onSlotFree'>;
  readonly process: (claim: Claim) => Promise<void>;
  /** Returns true while hints arrive. */
  readonly queueIsReady: () => boolean;
  readonly sweepMs: number;
  readonly signal: AbortSignal;
}

const MAX_PAUSE_MS = 1_000;
/** Time for which freed slots are gathered before the next claim, in milliseconds. */
const GATHER_MS = 10;

/** Creates the round that fills free slots with due tasks from the database and then waits until the next one makes sense. */
export function createDueClaiming(deps: ClaimDueDeps): () => Promise<void> {
  const { claims, pool, signal } = deps;
  const pauseMs = Math.min(deps.sweepMs, MAX_PAUSE_MS);
  let hasBacklog = true;

  return async () => {
    let claimed = 0;
    let isNothingDue = false;
    // A slot that is freed during the claim must not be missed.
    const slotFree = pool.onSlotFree(pauseMs);
    try {
      claimed = await pool.tryFill(async (limit) => {
        // While hints arrive they come first: without a backlog only tasks that they seem to have missed are claimed.
        const overdueMs = deps.queueIsReady() && !hasBacklog ? pauseMs : 0;
        const due = await claims.claimDue({ limit, overdueMs });
        isNothingDue = due.isNothingDue;
        return due.claims.map((claim) => () => deps.process(claim));
      });
      // Without a free slot, or with reserved ones only, a round knows nothing of most tasks.
      hasBacklog = !isNothingDue;
    } finally {
      // More may be due where something was: the next claim follows as soon as slots are free.
      if (claimed > 0) {
        await pause(GATHER_MS, signal);
      } else {
        await (hasBacklog ? slotFree : pause(pauseMs, signal));
      }
    }
  };
}
