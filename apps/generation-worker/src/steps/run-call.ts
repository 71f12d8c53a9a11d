import { type CallRow, finishCall } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { Attempt } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';
import type { Candidate, InputImage } from '../providers/port.js';
import { type ConsumeDeps, consumeEvents } from './consume-events.js';
import { type CallProgress, type CallReport, outcomeOfCall } from './outcome-of-call.js';

/** A call that has been written down. */
export interface StartedCall {
  readonly row: CallRow;
  readonly candidate: Candidate;
  readonly inputs: readonly InputImage[];
  readonly earlierCalls: number;
}

/** What making a call needs. */
export interface CallDeps extends ConsumeDeps {
  readonly metrics: ConsumeDeps['metrics'] & Pick<Metrics, 'providerCalls' | 'providerSeconds'>;
}

/**
 * Makes a call that has been written down, or resumes its job, stores its images as they arrive and writes down what
 * became of it. Rejects when the attempt was aborted or something of our own is broken.
 */
export async function runCall(deps: CallDeps, attempt: Attempt, call: StartedCall): Promise<CallReport> {
  const { candidate, row } = call;
  const provider = candidate.provider.name;
  const progress: CallProgress = { delivered: 0, jobId: row.requestId, costMicros: null, parkedMs: null };
  const stopTimer = deps.metrics.providerSeconds.startTimer({ provider });
  let thrown: unknown = null;
  try {
    await consumeEvents(deps, attempt, call, progress);
  } catch (error) {
    thrown = error;
  }
  stopTimer();
  const { outcome, report, failure } = outcomeOfCall({
    asked: row.slots.length,
    asynchronous: candidate.provider.asynchronous,
    listCostMicros: candidate.listCostMicros,
    progress,
    thrown,
    aborted: attempt.signal.aborted,
  });
  const state = outcome?.state ?? 'submitted';
  attempt.calls.set(row.id, { ...row, requestId: progress.jobId, ...(outcome ?? { state: 'submitted' }) });
  deps.metrics.providerCalls.inc({ provider, outcome: state });
  if (failure) {
    const level = report?.kind === 'refused' ? 'info' : failure === 'broken' ? 'error' : 'warn';
    attempt.log.log(level, 'a provider call failed', { provider, model: row.model, failure, error: thrown });
  }
  if (outcome) {
    // Without the signal: also an overtaken attempt says what became of its calls.
    await persist(() => finishCall(deps.db, { callId: row.id, ...outcome }), { log: attempt.log });
  }
  if (report) return report;
  throw attempt.signal.aborted ? attempt.signal.reason : thrown;
}
