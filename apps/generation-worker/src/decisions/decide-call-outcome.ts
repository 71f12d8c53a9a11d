import type { CallOutcome } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { AttemptAborted } from '../attempt/attempt-aborted.js';
import { ProviderError } from '../providers/errors.js';
import { FAILURE_TRAITS, type ProviderFailure } from '../providers/failure-traits.js';
import type { ProviderJob } from '../providers/port.js';

/** How far a call has come. */
export interface CallProgress {
  /** Usable images that it brought, stored; those of earlier attempts included. */
  delivered: number;
  job: ProviderJob | null;
  /** The provider's own id of a call that is no job. */
  upstreamId: string | null;
  /** Micro-dollars, when the provider said what it cost. */
  costMicros: bigint | null;
  /** Set when the job goes on without us. */
  parkedMs: number | null;
}

/** What the attempt has to know of a call that has ended. */
export type CallReport =
  | { readonly kind: 'done' }
  /** Final: the public reason of the refusal. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'parked'; readonly delayMs: number };

/** What is written down of a call (null: nothing, its job still runs), and what is reported; without a report the error goes on. */
export interface CallEnd {
  readonly outcome: Omit<CallOutcome, 'callId'> | null;
  readonly report: CallReport | null;
  readonly failure: ProviderFailure | null;
}

/** Works out what became of a call from what it brought and what it threw (null: nothing). */
export function decideCallOutcome(call: {
  readonly asked: number;
  readonly asynchronous: boolean;
  readonly listCostMicros: bigint;
  readonly progress: CallProgress;
  readonly thrown: unknown;
  readonly aborted: boolean;
}): CallEnd {
  const { asked, listCostMicros, progress, thrown } = call;
  const listed = (images: number): bigint => progress.costMicros ?? listCostMicros * BigInt(images);
  if (call.aborted || thrown instanceof AppError || thrown instanceof AttemptAborted) {
    // A job whose id is known goes on without us; one whose id never came may have been billed.
    const state = call.asynchronous ? 'unknown' : 'cut';
    const runsOn = progress.job !== null;
    return {
      outcome: runsOn ? null : { state, detail: null, costMicros: listed(asked) },
      report: null,
      failure: null,
    };
  }
  if (thrown !== null) {
    const failure = thrown instanceof ProviderError ? thrown.failure : 'bad-response';
    const { state, finalAfter, reason } = FAILURE_TRAITS[failure];
    // What may have been billed, or was drawn for nothing, counts as if it had come.
    const billed = state === 'unknown' || state === 'unusable' ? asked : progress.delivered;
    const outcome = { state, detail: failure, costMicros: listed(billed) };
    const report: CallReport = finalAfter === 1 ? { kind: 'refused', reason } : { kind: 'done' };
    return { outcome, report, failure };
  }
  if (progress.parkedMs !== null) {
    return { outcome: null, report: { kind: 'parked', delayMs: progress.parkedMs }, failure: null };
  }
  const report = { kind: 'done' } as const;
  if (progress.delivered === 0) {
    const outcome = { state: 'unusable', detail: 'no-image', costMicros: listed(asked) } as const;
    return { outcome, report, failure: 'no-image' };
  }
  const state = progress.delivered < asked ? 'short' : 'succeeded';
  return {
    outcome: { state, detail: null, costMicros: listed(progress.delivered) },
    report,
    failure: null,
  };
}
