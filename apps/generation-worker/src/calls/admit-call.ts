import type { Metrics } from '@image-gateway/shared/metrics';
import type { Attempt } from '../attempt/attempt.js';
import type { CallRoom, ResponseStore } from '../responses/create-response-store.js';
import type { StoreGate } from '../responses/create-store-gate.js';
import type { CallPermit, Health } from '../routing/create-health.js';
import type { PlannedCall } from '../routing/plan-calls.js';
import { measureResponse } from './measure-response.js';

/** Dependencies of admitting calls. */
export interface AdmitDeps {
  readonly health: Pick<Health, 'acquirePermit'>;
  readonly responses: ResponseStore;
  readonly storeGate: StoreGate;
  readonly metrics: Pick<Metrics, 'callsWaiting'>;
}

/** Waits until the object store takes images. Throws the reason of the attempt's signal. */
export function passGate(
  { storeGate, metrics }: AdmitDeps,
  { signal }: Pick<Attempt, 'signal'>,
): Promise<void> {
  return countWaiting(metrics, storeGate.passed(signal));
}

/** Permit and room that a call needs before it begins. */
export interface Admission extends CallPermit {
  /** Room for its responses; null for the sandbox, which answers over no connection. */
  readonly room: CallRoom | null;
}

/**
 * Takes a permit of the candidate and waits for room for the largest response to expect. Returns null when the candidate is
 * not available or has no free permit. Throws the reason of the attempt's signal.
 */
export async function admitCall(
  deps: AdmitDeps,
  attempt: Pick<Attempt, 'task' | 'signal'>,
  planned: PlannedCall,
): Promise<Admission | null> {
  const permit = deps.health.acquirePermit(planned.candidate, attempt.task);
  if (permit === null) {
    return null;
  }
  try {
    const room = planned.candidate.provider.upstream ? await openRoom(deps, attempt, planned) : null;
    return {
      room,
      release: (failure, retryAfterMs) => {
        room?.close();
        permit.release(failure, retryAfterMs);
      },
    };
  } catch (error) {
    permit.release('cut');
    throw error;
  }
}

/** Waits for room for the responses of a job that is resumed. Throws the reason of the attempt's signal. */
export async function admitResumedCall(
  deps: Pick<AdmitDeps, 'responses' | 'metrics'>,
  attempt: Pick<Attempt, 'task' | 'signal'>,
  call: PlannedCall,
): Promise<Admission> {
  const room = await openRoom(deps, attempt, call);
  return { room, release: room.close };
}

function openRoom(
  { responses, metrics }: Pick<AdmitDeps, 'responses' | 'metrics'>,
  { task, signal }: Pick<Attempt, 'task' | 'signal'>,
  { candidate, slots }: PlannedCall,
): Promise<CallRoom> {
  const bytes = measureResponse({
    resolution: task.resolution,
    size: candidate.size,
    images: slots.length,
  });
  return countWaiting(metrics, responses.open({ key: task.accountId, bytes, signal }));
}

async function countWaiting<T>({ callsWaiting }: AdmitDeps['metrics'], waiting: Promise<T>): Promise<T> {
  callsWaiting.inc();
  try {
    return await waiting;
  } finally {
    callsWaiting.dec();
  }
}
