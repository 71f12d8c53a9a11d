import { pause, repeat } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import type { Claim } from '../attempt/open-attempt.js';
import type { Claims } from '../work/create-claims.js';
import type { Workshop } from '../work/create-workshop.js';
import { type ConcludeDeps, concludeCalls } from './conclude-calls.js';
import { type EndOverdueDeps, endOverdueTasks } from './end-overdue-tasks.js';
import { type RemoveDeps, removeOrphans } from './remove-orphans.js';
import { type RenewDeps, renewHints } from './renew-hints.js';
import { watchRounds } from './watch-rounds.js';

/** What the sweeps need. */
export interface SweepDeps extends EndOverdueDeps, RemoveDeps, RenewDeps, ConcludeDeps {
  readonly db: EndOverdueDeps['db'];
  readonly metrics: EndOverdueDeps['metrics'] & RenewDeps['metrics'];
  readonly producer: RenewDeps['producer'];
  readonly logger: Logger;
  readonly sweepMs: number;
  readonly claims: Pick<Claims, 'direct' | 'isHoldingBack'>;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly workshop: Pick<Workshop, 'fill' | 'freed'>;
  readonly process: (claim: Claim) => Promise<void>;
  /** Says that this worker is alive and how its candidates stand. */
  readonly report: () => Promise<void>;
  /** Whether hints arrive at the moment. */
  readonly queueIsReady: () => boolean;
  readonly signal: AbortSignal;
}

/** Sweeps that run. */
export interface Sweeps {
  /** Resolves when the signal is aborted and the last rounds are over. */
  readonly ended: Promise<unknown>;
  /** Names a sweep that hangs, or null. */
  readonly hung: () => string | null;
}

const DIRECT_MS = 1_000;
/** How long places that are given back are gathered before the next ones are claimed. */
const GATHER_MS = 10;
const ROUND_MS = 120_000;

/** Starts everything that is done again and again, each in a loop of its own that no error ends. */
export function startSweeps(deps: SweepDeps): Sweeps {
  const { sweepMs, signal, logger, now } = deps;
  const actions = {
    'claim-directly': () => claimSome(),
    'end-overdue-tasks': () => endOverdueTasks(deps),
    'renew-hints': () => renewHints(deps),
    'remove-orphans': () => removeOrphans(deps),
    'conclude-calls': () => concludeCalls(deps),
    report: deps.report,
  };
  const rounds = watchRounds(Object.keys(actions), { withinMs: ROUND_MS + 2 * sweepMs, now });
  const loop = ([what, action]: [string, () => Promise<void>]): Promise<void> =>
    repeat(() => action().finally(() => rounds.ended(what)), {
      everyMs: what === 'claim-directly' ? 0 : sweepMs,
      signal,
      onError: (error) => logger.warn('a sweep failed', { what, error }),
    });
  let backlog = true;
  const claimSome = async (): Promise<void> => {
    const lookAgainMs = Math.min(sweepMs, DIRECT_MS);
    let claimed = 0;
    // A place that is given back while we look must not be overlooked.
    const freed = deps.workshop.freed(lookAgainMs);
    try {
      claimed = await deps.workshop.fill(async (limit) => {
        // While hints arrive they come first: without a backlog only what they seem to have missed is claimed past them.
        const overdueMs = deps.queueIsReady() && !backlog && !deps.claims.isHoldingBack() ? lookAgainMs : 0;
        const claims = await deps.claims.direct({ limit, overdueMs });
        return claims.map((claim) => () => deps.process(claim));
      });
      backlog = claimed > 0 || deps.claims.isHoldingBack();
    } finally {
      // Where something was due there may be more: the next look comes as soon as there are places for it.
      if (claimed > 0) await pause(GATHER_MS, signal);
      else await (backlog ? freed : pause(lookAgainMs, signal));
    }
  };
  return { ended: Promise.all(Object.entries(actions).map(loop)), hung: rounds.hung };
}
