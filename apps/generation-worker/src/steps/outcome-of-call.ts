import type { CallOutcome } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { AttemptAborted } from '../attempt/attempt-aborted.js';
import { FAILURE_TRAITS, ProviderError, type ProviderFailure } from '../providers/errors.js';

/** How far a call has come. */
export interface CallProgress {
  /** Usable images that it brought, stored. */
  delivered: number;
  jobId: string | null;
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
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number }
  | { readonly kind: 'parked'; readonly delayMs: number };

/** What is written down of a call (null: nothing, its job still runs), and what is reported; without a report the error goes on. */
export interface CallEnd {
  readonly outcome: Omit<CallOutcome, 'callId'> | null;
  readonly report: CallReport | null;
  readonly failure: ProviderFailure | null;
}

const RATE_LIMIT_PAUSE_MS = 5_000;

/** Works out what became of a call from what it brought and what it threw (null: nothing). */
export function outcomeOfCall(call: {
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
    const runsOn = progress.jobId !== null;
    return {
      outcome: runsOn ? null : { state, detail: null, costMicros: listed(asked) },
      report: null,
      failure: null,
    };
  }
  if (thrown !== null) {
    const failure = thrown instanceof ProviderError ? thrown.failure : 'broken';
    const { state, final, reason } = FAILURE_TRAITS[failure];
    const costMicros = listed(state === 'unknown' ? asked : progress.delivered);
    const outcome = { state, detail: failure, costMicros };
    if (final) return { outcome, report: { kind: 'refused', reason }, failure };
    if (failure !== 'rate-limited') return { outcome, report: { kind: 'done' }, failure };
    const retryAfterMs = thrown instanceof ProviderError ? thrown.retryAfterMs : undefined;
    const report = { kind: 'rate-limited', retryAfterMs: retryAfterMs ?? RATE_LIMIT_PAUSE_MS } as const;
    return { outcome, report, failure };
  }
  if (progress.parkedMs !== null) {
    return { outcome: null, report: { kind: 'parked', delayMs: progress.parkedMs }, failure: null };
  }
  const report = { kind: 'done' } as const;
  if (progress.delivered === 0) {
    const outcome = { state: 'unusable', detail: 'unusable', costMicros: listed(asked) } as const;
    return { outcome, report, failure: 'unusable' };
  }
  const state = progress.delivered < asked ? 'short' : 'succeeded';
  return {
    outcome: { state, detail: null, costMicros: listed(progress.delivered) },
    report,
    failure: null,
  };
}
