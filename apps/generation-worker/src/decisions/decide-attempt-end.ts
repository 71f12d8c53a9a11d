import { REASONS, type Reason } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import { type Attempt, AttemptAborted, type AttemptEnd } from '../attempt/attempt.js';
import type { CallReport } from '../calls/started-call.js';
import { InputImageError } from '../inputs/input-image-error.js';
import { InputsBusyError } from '../inputs/inputs-busy-error.js';
import type { Later } from '../routing/plan-calls.js';

const INTERNAL_ERROR_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60 * 60_000;

/** Returns how an attempt ends in which no call runs and none may be made any more. */
export function decideGenerationEnd(state: {
  readonly missing: number;
  /** Public reason of a final refusal. */
  readonly refusal: Reason | null;
  readonly reports: readonly CallReport[];
  readonly later: Later;
  /** True when each route's upstream has refused a field that the task requires; false where no provider in use can draw the task. */
  readonly refusesNeed: boolean;
  /** Milliseconds after which a task that waits for a permit is due. */
  readonly permitDueMs: number;
}): AttemptEnd {
  const { missing, refusal, reports, later } = state;
  if (missing === 0) {
    return { kind: 'settle', reason: REASONS.internal };
  }
  // A known job is never abandoned, whatever the outcome of the other calls.
  const parks = reports.flatMap((report) => (report.kind === 'parked' ? [report.delayMs] : []));
  if (parks.length > 0) {
    return { kind: 'release', delayMs: Math.min(...parks), why: 'parked' };
  }
  if (refusal !== null) {
    return { kind: 'settle', reason: refusal };
  }
  switch (later.kind) {
    case 'after-failure':
      return { kind: 'retry', reason: REASONS.upstream };
    case 'after-pause':
      return { kind: 'release', delayMs: Math.min(MAX_PAUSE_MS, later.pauseMs), why: 'rate-limited' };
    case 'after-permit':
      return {
        kind: 'release',
        delayMs: state.permitDueMs,
        why: 'no-permit',
        waitsFor: later.candidates,
      };
    case 'never':
      return { kind: 'settle', reason: state.refusesNeed ? REASONS.refusedInput : REASONS.upstream };
  }
}

/** Returns how an attempt ends that was stopped, or that failed without a provider's fault. */
export function decideErrorEnd(
  { signal, log }: Pick<Attempt, 'signal' | 'log'>,
  thrown: unknown,
): AttemptEnd {
  // Every error of a stopped attempt follows from the stop.
  const error = signal.aborted ? (signal.reason as unknown) : thrown;
  if (error instanceof AttemptAborted) {
    switch (error.why) {
      case 'lost':
        return { kind: 'leave' };
      case 'deadline':
        return { kind: 'settle', reason: REASONS.deadline };
      case 'shutdown':
        return { kind: 'release', delayMs: 0, why: 'shutdown' };
      case 'hung':
        return { kind: 'retry', reason: REASONS.internal };
      case 'lease':
        return { kind: 'release', delayMs: INTERNAL_ERROR_PAUSE_MS, why: 'lease' };
    }
  }
  if (error instanceof InputImageError) {
    log.info('an input image cannot be used', { error });
    return { kind: 'settle', reason: error.reason };
  }
  if (error instanceof InputsBusyError) {
    log.info('input images are loaded later', { error });
    return { kind: 'release', delayMs: error.delayMs, why: 'inputs-busy' };
  }
  if (error instanceof AppError && error.retryable) {
    log.warn('internal error, releasing the task', { error });
    // Value of a metric label: dashboards of operators know it by this name.
    return { kind: 'release', delayMs: INTERNAL_ERROR_PAUSE_MS, why: 'own-trouble' };
  }
  log.error('the attempt failed', { error });
  return { kind: 'retry', reason: REASONS.internal };
}
