import type { Metrics } from '@image-gateway/shared/metrics';
import type { Attempt, AttemptEnd } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';
import { getBackoffMs } from '../routing/get-backoff.js';
import { type FinishDeps, finishTask } from './finish.js';
import { type ReleaseDeps, release } from './release.js';

/** What ending an attempt needs. */
export interface EndDeps extends FinishDeps, ReleaseDeps {
  readonly db: FinishDeps['db'];
  readonly metrics: FinishDeps['metrics'] & Pick<Metrics, 'attempts'>;
  readonly maxTries: number;
  /** Seconds between tries. */
  readonly retryBackoff: readonly number[];
  /** 0 to 1. */
  readonly random: () => number;
}

/** Applies how an attempt ends: the task is settled, or goes back into the queue, with or without a try used up. */
export async function endAttempt(deps: EndDeps, attempt: Attempt, end: AttemptEnd): Promise<void> {
  const { task, log } = attempt;
  const isClean = (): boolean => attempt.openKeys.size === 0;
  const settle = async (reason: string): Promise<void> => {
    const settlement = await persist(() => finishTask(deps, { task, reason, isClean: isClean(), log }), {
      log,
    });
    if (!settlement.settled) return;
    const seconds = (Date.now() - task.createdAt.getTime()) / 1_000;
    deps.metrics.taskSeconds.observe({ status: settlement.status }, Math.max(0, seconds));
  };
  deps.metrics.attempts.inc({ outcome: end.kind === 'release' ? end.why : end.kind });
  switch (end.kind) {
    case 'settle':
      return settle(end.reason);
    case 'retry': {
      if (task.tries + 1 >= deps.maxTries) return settle(end.reason);
      const delayMs = getBackoffMs(deps.retryBackoff, task.tries, deps.random);
      return release(deps, attempt, { delayMs, burnsTry: true, why: 'retry' });
    }
    case 'release':
      return release(deps, attempt, { delayMs: end.delayMs, burnsTry: false, why: end.why });
    case 'leave':
      log.info('the task belongs to another attempt now');
  }
}
