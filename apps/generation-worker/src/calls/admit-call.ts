import type { Metrics } from '@image-gateway/shared/metrics';
import type { Attempt } from '../attempt/attempt.js';
import type { Candidate } from '../providers/port.js';
import type { ResponseStore } from '../responses/create-response-store.js';
import type { StoreGate } from '../responses/create-store-gate.js';
import type { CallPermit, Health } from '../routing/create-health.js';

/** Dependencies of admitting calls. */
export interface AdmitDeps {
  readonly health: Pick<Health, 'acquirePermit'>;
  readonly responses: Pick<ResponseStore, 'reserve'>;
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

/**
 * Takes a permit of the candidate and waits for room for the largest response of a call. Returns null when the candidate is
 * not available or has no free permit. Throws the reason of the attempt's signal.
 */
export async function admitCall(
  deps: AdmitDeps,
  attempt: Pick<Attempt, 'task' | 'signal'>,
  candidate: Candidate,
): Promise<CallPermit | null> {
  const permit = deps.health.acquirePermit(candidate, attempt.task);
  // The sandbox answers over no connection, with one image at a time, which costs nothing and can be drawn again.
  if (permit === null || !candidate.provider.upstream) {
    return permit;
  }
  try {
    const room = await reserveRoom(deps, attempt);
    return {
      release: (failure, retryAfterMs) => {
        room.release();
        permit.release(failure, retryAfterMs);
      },
    };
  } catch (error) {
    permit.release('cut');
    throw error;
  }
}

/** Waits for room for the largest response of a job that is resumed. Throws the reason of the attempt's signal. */
export async function reserveRoom(
  { responses, metrics }: Pick<AdmitDeps, 'responses' | 'metrics'>,
  { task, signal }: Pick<Attempt, 'task' | 'signal'>,
): Promise<{ readonly release: () => void }> {
  return { release: await countWaiting(metrics, responses.reserve({ key: task.accountId, signal })) };
}

async function countWaiting<T>({ callsWaiting }: AdmitDeps['metrics'], waiting: Promise<T>): Promise<T> {
  callsWaiting.inc();
  try {
    return await waiting;
  } finally {
    callsWaiting.dec();
  }
}
