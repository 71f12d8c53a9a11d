import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderError } from './failures.js';
import type { Upstream, UpstreamRequest, UpstreamResponse } from './http/create-upstream.js';
import type { CallScope, ProviderEvent } from './port.js';

/** Polled state of a job. A failed poll throws ProviderError, whatever its class, and does not change the state of the job. */
export type JobProgress<R> =
  | { readonly kind: 'pending'; readonly pauseMs?: number | undefined; readonly error?: ProviderError }
  /**
   * The job itself has failed. With `mayChange` it is polled again. A job that the provider does not know is `while-new`, until both the
   * job and this process are old enough. A job that has ended and shows no image is polled `once` more.
   */
  | { readonly kind: 'failed'; readonly error: ProviderError; readonly mayChange?: 'while-new' | 'once' }
  | { readonly kind: 'done'; readonly result: R };

/** Job to follow. */
export interface FollowedJob<R> {
  readonly poll: () => Promise<JobProgress<R>>;
  /** Downloads the images of a finished job, with their slots; runs again in a later attempt when it throws `transport`. */
  readonly collect: (result: R) => AsyncGenerator<ProviderEvent, void>;
  /** True when the job was submitted just now. Any other job is polled once and parked again. */
  readonly isNew: boolean;
  /** Milliseconds since the call of the job was saved. */
  readonly ageMs: number;
  /** Progress in the response to the submission. */
  readonly known?: JobProgress<R> | null;
  readonly signal: AbortSignal;
}

/** Pace of polling, in milliseconds. */
export interface JobPace {
  readonly firstPollMs: number;
  readonly maxPollMs: number;
  /** How long a new job is followed in the slot of its worker. */
  readonly followMs: number;
  readonly parkMs: number;
  /** Longest pause that a provider may request, so that a finished job is not missed until the deadline of the task. */
  readonly maxPauseMs: number;
  /** How long a provider may not know a new job, or any job after this process has started. */
  readonly unseenMs: number;
}

/** Clock for following a job. */
export interface JobClock {
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since this process has started. */
  readonly upMs: () => number;
}

/** Polls soon, then less often, and parks after a few seconds. */
export const JOB_PACE: JobPace = {
  firstPollMs: 1_000,
  maxPollMs: 3_000,
  followMs: 4_000,
  parkMs: 3_000,
  maxPauseMs: 60_000,
  unseenMs: 30_000,
};
const SECOND_MS = 1_000;
const GROWTH = 1.5;
/** Some APIs repeat the input images of a job in its state. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024;
const CLOCK: JobClock = {
  nowMs: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  upMs: () => process.uptime() * SECOND_MS,
};

/**
 * Submits an asynchronous job. Throws `unknown` when the response is lost, incomplete or too large: the job may be running,
 * and without its id it cannot be found again.
 */
export async function submitJob(
  upstream: Pick<Upstream, 'call'>,
  request: Omit<UpstreamRequest, 'method' | 'isPaid'>,
  scope: CallScope,
): Promise<UpstreamResponse> {
  try {
    return await upstream.call({ ...request, method: 'POST', isPaid: true }, scope);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.failure !== 'bad-response') {
      throw error;
    }
    throw new ProviderError('unknown', error.message, { cause: error });
  }
}

/** Asks for the state of a job. A state with many images that is not the end would be read again and again: it counts as a failed poll. */
export async function pollJob<R>(
  upstream: Pick<Upstream, 'call'>,
  request: Omit<UpstreamRequest, 'method' | 'isPaid'>,
  scope: CallScope,
  parse: (response: UpstreamResponse) => JobProgress<R>,
): Promise<JobProgress<R>> {
  const response = await upstream.call({ ...request, method: 'GET', isPaid: false }, scope);
  const progress = parse(response);
  if (progress.kind === 'pending' && (response.json?.imageBytes ?? 0) > MAX_PENDING_BYTES) {
    throw new ProviderError('bad-response', 'the state of a job that still runs came with images');
  }
  return progress;
}

/**
 * Polls an asynchronous job until it has ended, and parks it when it takes more than a few seconds. A failed poll or
 * download does not change the state of the job: it is repeated later, until the deadline of the task. An answer that cannot be
 * read parks it at once.
 */
export async function* followJob<R>(
  { poll, collect, isNew, ageMs, known, signal }: FollowedJob<R>,
  pace: JobPace = JOB_PACE,
  clock: JobClock = CLOCK,
): AsyncGenerator<ProviderEvent, void> {
  const park = (pauseMs: number, error?: ProviderError): ProviderEvent => ({
    type: 'park',
    delayMs: Math.max(pace.parkMs, pauseMs),
    ...(error && { error }),
  });
  const beganMs = clock.nowMs();
  const untilMs = beganMs + (isNew ? pace.followMs : 0);
  const isNewHere = (): boolean =>
    ageMs + clock.nowMs() - beganMs < pace.unseenMs || clock.upMs() < pace.unseenMs;
  let isSecondLook = false;
  let progress = isNew ? (known ?? ({ kind: 'pending' } as const)) : await pollSafely(poll, signal);
  for (let paceMs = pace.firstPollMs; ; paceMs = Math.min(pace.maxPollMs, paceMs * GROWTH)) {
    const looksAgain: boolean = progress.kind === 'failed' && progress.mayChange === 'once' && !isSecondLook;
    isSecondLook ||= looksAgain;
    if (progress.kind === 'failed') {
      if (!looksAgain && (progress.mayChange !== 'while-new' || !isNewHere())) {
        throw progress.error;
      }
      progress = { kind: 'pending', error: progress.error };
    }
    if (progress.kind === 'done') {
      try {
        return yield* collect(progress.result);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ProviderError) || error.failure !== 'transport') {
          throw error;
        }
        return yield park(0, error);
      }
    }
    const pauseMs = Math.min(progress.pauseMs ?? 0, pace.maxPauseMs);
    const waitMs = Math.max(paceMs, pauseMs);
    const isOver = progress.error?.failure === 'bad-response' || clock.nowMs() + waitMs > untilMs;
    if (isOver && !looksAgain) {
      return yield park(pauseMs, progress.error);
    }
    await clock.sleep(waitMs, signal);
    progress = await pollSafely(poll, signal);
  }
}

async function pollSafely<R>(
  poll: () => Promise<JobProgress<R>>,
  signal: AbortSignal,
): Promise<JobProgress<R>> {
  try {
    return await poll();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProviderError)) {
      throw error;
    }
    return { kind: 'pending', pauseMs: error.retryAfterMs, error };
  }
}
