import { pause, repeat } from '@image-gateway/shared/lifecycle';
import type { Logger } from '@image-gateway/shared/logging';
import type { Claim } from '../attempt/open-attempt.js';
import type { Claims } from '../claiming/create-claims.js';
import type { WorkerPool } from '../claiming/create-worker-pool.js';
import { watchLoops } from '../watchdog/watch-loops.js';
import { type EndOverdueDeps, endOverdueTasks } from './end-overdue-tasks.js';
import { type ReconcileDeps, reconcileCalls } from './reconcile-calls.js';
import { type RemoveDeps, removeOrphans } from './remove-orphans.js';
import { type RenewDeps, renewHints } from './renew-hints.js';
import type { Sweep } from './sweep-items.js';

/** What the sweeps need. */
export interface SweepDeps extends EndOverdueDeps, RemoveDeps, RenewDeps, ReconcileDeps {
  readonly db: EndOverdueDeps['db'];
  readonly metrics: EndOverdueDeps['metrics'] & RenewDeps['metrics'];
  readonly producer: RenewDeps['producer'];
  readonly logger: Logger;
  readonly sweepMs: number;
  readonly claims: Pick<Claims, 'direct' | 'isHoldingBack'>;
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  readonly pool: Pick<WorkerPool, 'tryFill' | 'onSlotFree'>;
  readonly process: (claim: Claim) => Promise<void>;
  /** Says that this worker is alive and how its candidates stand. */
  readonly report: () => Promise<void>;
  /** 0 to 1. */
  readonly random: () => number;
  readonly signal: AbortSignal;
}

/** Sweeps that run. */
export interface Sweeps {
  /** Resolves when the signal is aborted and the last rounds are over. */
  readonly ended: Promise<unknown>;
  /** Name of a sweep that hangs, or null. */
  readonly hung: () => string | null;
}

const DIRECT_MS = 1_000;
/** Time for which freed slots are gathered before the next claim, in milliseconds. */
const GATHER_MS = 10;
/** Longer than any single item of a sweep may take: its time-outs are ten seconds and less. */
const MAX_SILENCE_MS = 120_000;
/** Sweeps of many workers do not stay in step. */
const JITTER = 0.2;

/** Starts everything that is done again and again, each in a loop of its own that no error ends. */
export function startSweeps(deps: SweepDeps): Sweeps {
  const { sweepMs, signal, logger, now, random } = deps;
  const actions: Readonly<Record<string, Sweep>> = {
    'claim-directly': () => claimSome(),
    'end-overdue-tasks': (noteProgress) => endOverdueTasks(deps, noteProgress),
    'renew-hints': () => renewHints(deps),
    'remove-orphans': (noteProgress) => removeOrphans(deps, noteProgress),
    'conclude-calls': (noteProgress) => reconcileCalls(deps, noteProgress),
    report: () => deps.report().then(() => false),
  };
  const watch = watchLoops(Object.keys(actions), { withinMs: MAX_SILENCE_MS + 2 * sweepMs, now });
  const loop = ([what, sweep]: [string, Sweep]): Promise<void> => {
    const noteProgress = (): void => watch.noteProgress(what);
    const runRound = async (): Promise<void> => {
      // One batch after the other while there is more to do.
      while ((await sweep(noteProgress).finally(noteProgress)) && !signal.aborted);
    };
    return repeat(runRound, {
      everyMs: what === 'claim-directly' ? 0 : sweepMs * (1 - JITTER * random()),
      signal,
      onError: (error) => logger.warn('a sweep failed', { what, error }),
    });
  };
  let backlog = true;
  const claimSome = async (): Promise<boolean> => {
    const lookAgainMs = Math.min(sweepMs, DIRECT_MS);
    let claimed = 0;
    // A slot that comes free during the claim must not be missed.
    const slotFree = deps.pool.onSlotFree(lookAgainMs);
    try {
      claimed = await deps.pool.tryFill(async (limit) => {
        // While hints arrive they come first: without a backlog only what they seem to have missed is claimed past them.
        const overdueMs = deps.queueIsReady() && !backlog && !deps.claims.isHoldingBack() ? lookAgainMs : 0;
        const claims = await deps.claims.direct({ limit, overdueMs });
        return claims.map((claim) => () => deps.process(claim));
      });
      backlog = claimed > 0 || deps.claims.isHoldingBack();
    } finally {
      // Where something was due there may be more: the next claim comes as soon as slots are free.
      if (claimed > 0) await pause(GATHER_MS, signal);
      else await (backlog ? slotFree : pause(lookAgainMs, signal));
    }
    return false;
  };
  return { ended: Promise.all(Object.entries(actions).map(loop)), hung: watch.hung };
}
