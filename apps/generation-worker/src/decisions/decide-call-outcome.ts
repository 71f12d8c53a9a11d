import type { CallOutcome } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { AttemptAborted } from '../attempt/attempt.js';
import type { CallProgress, CallReport } from '../calls/started-call.js';
import { FAILURE_TRAITS, ProviderError, type ProviderFailure } from '../providers/failures.js';

/** Detail of a call whose images were delivered although they are smaller than what was sold. */
const DELIVERED_SMALL = 'below-resolution';
/** Detail of a call whose stated cost could not be true, so that its list cost was booked. */
export const STATED_COST = 'stated-cost';

/** End of a call. A null outcome leaves its row open, because the job still runs; a null report rethrows the error. */
export interface CallEnd {
  readonly outcome: Omit<CallOutcome, 'callId'> | null;
  readonly report: CallReport | null;
  readonly failure: ProviderFailure | null;
}

/** Returns the end of a call from its progress and the error that it threw, or null. */
export function decideCallOutcome(call: {
  readonly requested: number;
  readonly isAsynchronous: boolean;
  /** True when nothing was sent before the job was saved. */
  readonly recordsFirst: boolean;
  readonly listCostMicros: bigint;
  readonly progress: CallProgress;
  readonly thrown: unknown;
  readonly isAborted: boolean;
}): CallEnd {
  const { requested, listCostMicros, progress, thrown } = call;
  const listed = (images: number): bigint => progress.costMicros ?? listCostMicros * BigInt(images);
  if (call.isAborted || thrown instanceof AppError || thrown instanceof AttemptAborted) {
    // A job with a known id continues upstream; one whose id never arrived may have been billed.
    const state = call.isAsynchronous ? 'unknown' : 'cut';
    const runsOn = progress.job !== null;
    return {
      outcome: runsOn
        ? null
        : { state, detail: null, costMicros: call.recordsFirst ? 0n : listed(requested) },
      report: null,
      failure: null,
    };
  }
  if (thrown !== null) {
    const failure = thrown instanceof ProviderError ? thrown.failure : 'bad-response';
    const { state, finalAfter, reason } = FAILURE_TRAITS[failure];
    // Images that may have been billed, or were made in vain, count as delivered.
    const billed = state === 'unknown' || state === 'unusable' ? requested : progress.delivered;
    const outcome = { state, detail: failure, costMicros: listed(billed) };
    const report: CallReport = finalAfter === 1 ? { kind: 'refused', reason } : { kind: 'done' };
    return { outcome, report, failure };
  }
  if (progress.parkedMs !== null) {
    return { outcome: null, report: { kind: 'parked', delayMs: progress.parkedMs }, failure: null };
  }
  const report = { kind: 'done' } as const;
  if (progress.delivered === 0) {
    const { refused } = progress.tooSmall;
    const failure = refused > 0 ? 'too-small' : progress.unusable > 0 ? 'bad-response' : 'no-image';
    const outcome = { state: 'unusable', detail: failure, costMicros: listed(requested) } as const;
    return { outcome, report, failure };
  }
  const state = progress.delivered < requested ? 'short' : 'succeeded';
  return {
    outcome: {
      state,
      costMicros: listed(progress.delivered),
      // Its route is not called again for the images that it drew too small.
      detail:
        progress.tooSmall.refused > 0
          ? 'too-small'
          : progress.tooSmall.delivered > 0
            ? DELIVERED_SMALL
            : progress.isCostRefused
              ? STATED_COST
              : null,
    },
    report,
    failure: null,
  };
}
