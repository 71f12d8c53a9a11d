import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError } from './errors.js';
import type { ProviderEvent } from './port.js';

/** What a look at a job shows; a look that fails throws ProviderError, whatever its class, and says nothing about the job. */
export type JobProgress<R> =
  | { readonly kind: 'pending'; readonly pauseMs?: number | undefined; readonly error?: ProviderError }
  /** The job itself has failed. */
  | { readonly kind: 'failed'; readonly error: ProviderError }
  | { readonly kind: 'done'; readonly result: R };

/** How a job is followed. */
export interface FollowedJob<R> {
  readonly look: () => Promise<JobProgress<R>>;
  /** Gets the pictures of a job that is done, with their slots; runs again in a later attempt when it throws `transport`. */
  readonly collect: (result: R) => AsyncGenerator<ProviderEvent, void>;
  /** Whether the job was submitted just now: another attempt looks once only and parks again. */
  readonly fresh: boolean;
  /** What the answer to the submission already showed. */
  readonly known?: JobProgress<R> | null;
  readonly signal: AbortSignal;
}

/** How jobs are paced, in milliseconds. */
export interface JobPace {
  readonly firstPollMs: number;
  readonly maxPollMs: number;
  /** How long a fresh job is waited for in its worker's place. */
  readonly patienceMs: number;
  readonly parkMs: number;
  /** How long a provider may ask us not to look, so that a job that is done is not missed until the task's deadline. */
  readonly maxPauseMs: number;
}

/** Time, as far as following a job needs it. */
export interface JobClock {
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Looks soon, then less often; gives up its place after a few seconds. */
export const JOB_PACE: JobPace = {
  firstPollMs: 1_000,
  maxPollMs: 3_000,
  patienceMs: 4_000,
  parkMs: 3_000,
  maxPauseMs: 60_000,
};
const GROWTH = 1.5;
const CLOCK: JobClock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/**
 * Looks at an asynchronous job until it has ended, and parks it when it takes more than a few seconds. A look or a
 * download that fails says nothing about the job: it is tried again later, until the task's own deadline.
 */
export async function* followJob<R>(
  { look, collect, fresh, known, signal }: FollowedJob<R>,
  pace: JobPace = JOB_PACE,
  clock: JobClock = CLOCK,
): AsyncGenerator<ProviderEvent, void> {
  const park = (pauseMs: number, error?: ProviderError): ProviderEvent => ({
    ...{ type: 'park', delayMs: Math.max(pace.parkMs, pauseMs) },
    ...(error && { error }),
  });
  const untilMs = clock.nowMs() + (fresh ? pace.patienceMs : 0);
  let seen = fresh ? (known ?? ({ kind: 'pending' } as const)) : await pollSafely(look, signal);
  for (let paceMs = pace.firstPollMs; ; paceMs = Math.min(pace.maxPollMs, paceMs * GROWTH)) {
    if (seen.kind === 'failed') throw seen.error;
    if (seen.kind === 'done') {
      try {
        return yield* collect(seen.result);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ProviderError) || error.failure !== 'transport') throw error;
        return yield park(0, error);
      }
    }
    const pauseMs = Math.min(seen.pauseMs ?? 0, pace.maxPauseMs);
    const waitMs = Math.max(paceMs, pauseMs);
    if (clock.nowMs() + waitMs > untilMs) return yield park(pauseMs, seen.error);
    await clock.sleep(waitMs, signal);
    seen = await pollSafely(look, signal);
  }
}

async function pollSafely<R>(
  look: () => Promise<JobProgress<R>>,
  signal: AbortSignal,
): Promise<JobProgress<R>> {
  try {
    return await look();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProviderError)) throw error;
    return { kind: 'pending', pauseMs: error.retryAfterMs, error };
  }
}
