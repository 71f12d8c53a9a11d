import { finishCall } from '@image-gateway/shared/db';
import type { Metrics } from '@image-gateway/shared/metrics';
import type { Tracing } from '@image-gateway/shared/tracing';
import type { Attempt } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';
import { decideCallOutcome, STATED_COST } from '../decisions/decide-call-outcome.js';
import { ProviderError } from '../providers/failures.js';
import { getOwner } from '../providers/port.js';
import type { FieldChooser } from '../routing/create-field-chooser.js';
import { type ConsumeDeps, consumeEvents } from './consume-events.js';
import type { CallProgress, CallReport, ImageSink, StartedCall } from './started-call.js';
import { toFieldRefusal } from './to-field-refusal.js';

/** Dependencies of a call. */
export interface CallDeps extends ConsumeDeps {
  readonly metrics: Pick<Metrics, 'providerAlerts' | 'providerCalls' | 'providerSeconds' | 'upstreamCost'>;
  readonly tracing: Pick<Tracing, 'start'>;
  readonly fields: Pick<FieldChooser, 'refuse'>;
}

/**
 * Makes a call, or resumes its job, stores its images as they arrive and saves its outcome. Rejects when the attempt was
 * aborted or an internal error occurred.
 */
export async function runCall(
  { db, validate, hashEndUser, metrics, tracing, fields }: CallDeps,
  attempt: Attempt,
  call: StartedCall,
  sink: ImageSink,
): Promise<CallReport> {
  const { candidate, row } = call;
  const provider = candidate.provider.name;
  const stored = row.slots.length - attempt.missingSlots().filter((slot) => row.slots.includes(slot)).length;
  const progress: CallProgress = {
    delivered: stored,
    unusable: 0,
    tooSmall: { refused: 0, delivered: 0 },
    job: row.requestId === null ? null : { id: row.requestId, handle: row.jobHandle },
    upstreamId: null,
    costMicros: null,
    isCostRefused: false,
    parkedMs: null,
  };
  const stopTimer = metrics.providerSeconds.startTimer({ provider });
  const { signal, task } = attempt;
  const span = tracing.start(`provider ${provider}`, {
    parent: task.traceparent,
    kind: 'client',
    attributes: {
      'gateway.model': row.model,
      'gateway.images': row.slots.length,
      'gen_ai.operation.name': 'generate_content',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': candidate.model,
      'gen_ai.request.choice.count': row.slots.length,
      'gen_ai.output.type': 'image',
    },
  });
  const { room } = call.admission;
  const isStored = (slot: number): boolean => !attempt.missingSlots().includes(slot);
  let thrown: unknown = null;
  try {
    await consumeEvents({ db, validate, hashEndUser }, attempt, call, {
      progress,
      sink,
      scope: {
        signal,
        owner: getOwner(candidate.key),
        isStored,
        ageMs: Date.now() - row.createdAt.getTime(),
        // As of the claim, which was before: the deadline of a task never moves.
        neededMs: task.deadlineInMs,
        traceparent: span.traceparent,
        ...(room && { receive: room.receive }),
      },
    });
  } catch (error) {
    const refused = toFieldRefusal(error, task, call.fields);
    if (refused) {
      const { name } = refused.refusal;
      fields.refuse(candidate, refused.refusal);
      attempt.log.error('an upstream refuses a field that its route takes', {
        provider,
        model: row.model,
        field: name,
      });
    }
    thrown = refused?.error ?? error;
  } finally {
    room?.close(thrown === null);
  }
  stopTimer();
  span.end(thrown ?? undefined, {
    ...(thrown instanceof ProviderError && { 'error.type': thrown.failure }),
    ...(progress.upstreamId !== null && { 'gen_ai.response.id': progress.upstreamId }),
  });
  const { outcome, report, failure } = decideCallOutcome({
    requested: row.slots.length,
    isAsynchronous: candidate.provider.asynchronous,
    recordsFirst: candidate.provider.recordsFirst === true,
    listCostMicros: candidate.listCostMicros,
    progress,
    thrown,
    isAborted: signal.aborted,
  });
  const said: Partial<ProviderError> = thrown instanceof ProviderError ? thrown : {};
  call.admission.release(failure ?? (report === null ? 'cut' : null), said);
  const { refused, delivered } = progress.tooSmall;
  if (failure === null && refused + delivered > 0) {
    metrics.providerAlerts.inc({ provider, model: row.model, failure: 'too-small' });
  }
  if (progress.isCostRefused) {
    metrics.providerAlerts.inc({ provider, model: row.model, failure: STATED_COST });
  }
  const state = outcome?.state ?? 'submitted';
  attempt.recordCall({
    ...row,
    requestId: progress.job?.id ?? null,
    jobHandle: progress.job?.handle ?? null,
    ...(outcome ?? { state: 'submitted' }),
  });
  metrics.providerCalls.inc({ provider, outcome: state });
  if (outcome) {
    metrics.upstreamCost.addMicros(outcome.costMicros, { provider });
  }
  if (failure) {
    const isInternal = thrown !== null && !(thrown instanceof ProviderError);
    const level = report?.kind === 'refused' ? 'info' : isInternal ? 'error' : 'warn';
    attempt.log.log(level, 'a provider call failed', { provider, model: row.model, failure, error: thrown });
  }
  const finished = outcome && {
    callId: row.id,
    upstreamId: said.upstreamId ?? progress.upstreamId,
    ...outcome,
  };
  if (finished && attempt.unsaved) {
    attempt.recordLastOutcome(finished);
  } else if (finished) {
    // Without the signal: an overtaken attempt also saves the outcome of its calls.
    await persist(() => finishCall(db, finished), { log: attempt.log });
  }
  if (report) {
    return report;
  }
  throw signal.aborted ? signal.reason : thrown;
}
