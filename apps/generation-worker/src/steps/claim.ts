import type { Logger } from '@image-gateway/shared/logging';
import { parseTraceparent } from '@image-gateway/shared/tracing';
import { type AbortCause, Attempt, AttemptAborted } from '../attempt/attempt.js';
import type { Lease } from '../attempt/keep-lease.js';
import type { Claim } from '../claiming/create-claims.js';

/** Dependencies of claiming. */
export interface ClaimStepDeps {
  readonly logger: Logger;
  /** A monotonic clock. */
  readonly now: () => number;
  /** Renews the lease until it is stopped. */
  readonly keepLease: (lease: Lease) => { readonly stop: () => void };
  /** Aborted when running attempts have to stop because the process ends. */
  readonly stop: AbortSignal;
}

/** Claims one task; null when there is none. */
export type ClaimTask = () => Promise<Claim | null>;

/** Running attempt that must be closed. */
export interface OpenAttempt {
  readonly attempt: Attempt;
  readonly close: () => void;
}

/** Node fires a timer of more milliseconds than this at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Claims a task and begins an attempt: renews its lease, watches its deadline, and aborts its signal when it must stop. Returns
 * null without a task.
 */
export async function claim(deps: ClaimStepDeps, claimTask: ClaimTask): Promise<OpenAttempt | null> {
  const claimed = await claimTask();
  if (claimed === null) {
    return null;
  }
  const { task, sentAt, answeredAt, end } = claimed;
  const controller = new AbortController();
  const traceId = parseTraceparent(task.traceparent)?.traceId;
  const log = deps.logger.child({
    taskId: task.id,
    attempt: task.attempt,
    requestId: task.requestId,
    ...(traceId && { trace_id: traceId }),
  });
  const abort = (why: AbortCause): void => {
    if (controller.signal.aborted) {
      return;
    }
    log.info('stopping the attempt', { why });
    controller.abort(new AttemptAborted(why));
  };
  const onStop = (): void => abort('shutdown');
  if (deps.stop.aborted) {
    onStop();
  }
  deps.stop.addEventListener('abort', onStop, { once: true });
  const lease = deps.keepLease({ taskId: task.id, attempt: task.attempt, claimSentAt: sentAt, log, abort });
  const leftMs = task.deadlineInMs - (deps.now() - answeredAt);
  const deadline = setTimeout(() => abort('deadline'), Math.min(Math.max(0, leftMs), MAX_TIMER_MS));
  return {
    attempt: new Attempt({ task, signal: controller.signal, log }),
    close: () => {
      lease.stop();
      clearTimeout(deadline);
      deps.stop.removeEventListener('abort', onStop);
      end();
    },
  };
}
