import type { ClaimedTask } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Attempt } from './attempt.js';
import { type AbortCause, AttemptAborted } from './attempt-aborted.js';
import { keepLease, type LeaseDeps } from './keep-lease.js';

/** A claimed task and when its claim was sent and answered, by the monotonic clock. */
export interface Claim {
  readonly task: ClaimedTask;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** What an attempt lives on. */
export interface AttemptDeps extends LeaseDeps {
  readonly logger: Logger;
  /** Aborted when running attempts have to stop because the process ends. */
  readonly stop: AbortSignal;
}

/** An attempt that must be closed. */
export interface OpenAttempt {
  readonly attempt: Attempt;
  readonly close: () => void;
}

/** Node fires a timer of more milliseconds than this at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Begins an attempt: keeps its lease, watches its deadline, and aborts its signal when it must stop. */
export function openAttempt(deps: AttemptDeps, { task, sentAt, answeredAt }: Claim): OpenAttempt {
  const controller = new AbortController();
  const log = deps.logger.child({ taskId: task.id, attempt: task.attempt, requestId: task.requestId });
  const abort = (why: AbortCause): void => {
    if (controller.signal.aborted) return;
    log.info('stopping the attempt', { why });
    controller.abort(new AttemptAborted(why));
  };
  const onStop = (): void => abort('shutdown');
  if (deps.stop.aborted) onStop();
  deps.stop.addEventListener('abort', onStop, { once: true });
  const lease = keepLease(deps, { taskId: task.id, attempt: task.attempt, claimSentAt: sentAt, log, abort });
  const leftMs = task.deadlineInMs - (deps.now() - answeredAt);
  const deadline = setTimeout(() => abort('deadline'), Math.min(Math.max(0, leftMs), MAX_TIMER_MS));
  return {
    attempt: { task, outputs: [], calls: new Map(), openKeys: new Set(), signal: controller.signal, log },
    close: () => {
      lease.stop();
      clearTimeout(deadline);
      deps.stop.removeEventListener('abort', onStop);
    },
  };
}
