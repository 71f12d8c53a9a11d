import { repeat } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import type { Claim } from '../attempt/open-attempt.js';
import type { Workshop } from '../work/create-workshop.js';
import { claimDirectly, type DirectClaimDeps } from './claim-directly.js';
import { type EndOverdueDeps, endOverdueTasks } from './end-overdue-tasks.js';
import { type RemoveDeps, removeOrphans } from './remove-orphans.js';
import { type RenewDeps, renewHints } from './renew-hints.js';

/** What the sweeps need. */
export interface SweepDeps extends DirectClaimDeps, EndOverdueDeps, RemoveDeps, RenewDeps {
  readonly db: EndOverdueDeps['db'];
  readonly metrics: DirectClaimDeps['metrics'] & EndOverdueDeps['metrics'] & RenewDeps['metrics'];
  readonly producer: RenewDeps['producer'];
  readonly logger: Logger;
  readonly sweepMs: number;
  readonly workshop: Pick<Workshop, 'fill'>;
  readonly process: (claim: Claim) => Promise<void>;
  /** Whether hints arrive at the moment. */
  readonly queueIsReady: () => boolean;
  readonly signal: AbortSignal;
}

const DIRECT_MS = 1_000;

/** Starts everything that is done again and again, each in a loop of its own that no error ends; resolves when the signal is aborted and the last rounds are over. */
export async function startSweeps(deps: SweepDeps): Promise<void> {
  const { sweepMs, signal, logger } = deps;
  const every = (what: string, everyMs: number, action: () => Promise<void>): Promise<void> =>
    repeat(action, {
      everyMs,
      signal,
      onError: (error) => logger.warn('a sweep failed', { what, error }),
    });
  let first = true;
  const claimSome = (): Promise<void> =>
    deps.workshop.fill(async (limit) => {
      // While hints arrive they come first: only what they seem to have missed is claimed past them.
      const overdueMs = deps.queueIsReady() && !first ? sweepMs : 0;
      const claims = await claimDirectly(deps, { limit, overdueMs });
      first = false;
      return claims.map((claim) => () => deps.process(claim));
    });
  await Promise.all([
    every('claim-directly', Math.min(sweepMs, DIRECT_MS), claimSome),
    every('end-overdue-tasks', sweepMs, () => endOverdueTasks(deps)),
    every('renew-hints', sweepMs, () => renewHints(deps)),
    every('remove-orphans', sweepMs, () => removeOrphans(deps)),
  ]);
}
