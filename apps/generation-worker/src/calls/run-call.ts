import { finishCall } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import { type Attempt, missingSlots } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';
import { type CallProgress, type CallReport, decideCallOutcome } from '../decisions/decide-call-outcome.js';
import { ProviderError } from '../providers/errors.js';
import type { ResponseStore } from '../responses/create-response-store.js';
import { type ConsumeDeps, consumeEvents } from './consume-events.js';
import { openScope } from './open-scope.js';
import type { StartedCall } from './started-call.js';

/** What making a call needs. */
export interface CallDeps extends ConsumeDeps {
  readonly metrics: ConsumeDeps['metrics'] &
    Pick<Metrics, 'providerCalls' | 'providerSeconds' | 'upstreamMicros'>;
  readonly responses: Pick<ResponseStore, 'open'>;
}

/**
 * Makes a call that has been written down, or resumes its job, stores its images as they arrive and writes down what
 * became of it. Rejects when the attempt was aborted or something of our own is broken.
 */
export async function runCall(deps: CallDeps, attempt: Attempt, call: StartedCall): Promise<CallReport> {
  const { candidate, row } = call;
  const provider = candidate.provider.name;
  const stored = row.slots.length - missingSlots(attempt).filter((slot) => row.slots.includes(slot)).length;
  const progress: CallProgress = {
    delivered: stored,
    job: row.requestId === null ? null : { id: row.requestId, handle: row.jobHandle },
    upstreamId: null,
    costMicros: null,
    parkedMs: null,
  };
  const stopTimer = deps.metrics.providerSeconds.startTimer({ provider });
  const { scope, close } = openScope(deps, attempt);
  let thrown: unknown = null;
  try {
    await consumeEvents(deps, attempt, call, { progress, scope });
  } catch (error) {
    thrown = error;
  } finally {
    close();
  }
  stopTimer();
  const { outcome, report, failure } = decideCallOutcome({
    asked: row.slots.length,
    asynchronous: candidate.provider.asynchronous,
    listCostMicros: candidate.listCostMicros,
    progress,
    thrown,
    aborted: attempt.signal.aborted,
  });
  const { retryAfterMs, upstreamId = progress.upstreamId } = thrown instanceof ProviderError ? thrown : {};
  call.permit.release(failure ?? (report === null ? 'cut' : null), retryAfterMs);
  const state = outcome?.state ?? 'submitted';
  attempt.calls.set(row.id, {
    ...row,
    requestId: progress.job?.id ?? null,
    jobHandle: progress.job?.handle ?? null,
    ...(outcome ?? { state: 'submitted' }),
  });
  deps.metrics.providerCalls.inc({ provider, outcome: state });
  if (outcome) deps.metrics.upstreamMicros.inc({ provider }, Number(outcome.costMicros));
  if (failure) {
    const ours = thrown !== null && !(thrown instanceof ProviderError);
    const level = report?.kind === 'refused' ? 'info' : ours ? 'error' : 'warn';
    attempt.log.log(level, 'a provider call failed', { provider, model: row.model, failure, error: thrown });
  }
  if (outcome) {
    // Without the signal: also an overtaken attempt says what became of its calls.
    await persist(() => finishCall(deps.db, { callId: row.id, upstreamId, ...outcome }), {
      log: attempt.log,
    });
  }
  if (report) return report;
  throw attempt.signal.aborted ? attempt.signal.reason : thrown;
}
