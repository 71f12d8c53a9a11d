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

/** Admission of calls; everything that waits throws the reason of the attempt's signal. */
export interface CallAdmission {
  /** Returns true while the object store takes images. */
  readonly isGateOpen: () => boolean;
  /** Waits until the object store takes images. */
  readonly passGate: (attempt: Pick<Attempt, 'signal'>) => Promise<void>;
  /**
   * Takes a permit of the candidate and waits for room for the largest response to expect. Returns null when the candidate is
   * not available or has no free permit.
   */
  readonly admit: (
    attempt: Pick<Attempt, 'task' | 'signal'>,
    planned: PlannedCall,
  ) => Promise<Admission | null>;
  /** Waits for room for the responses of a job that is resumed. */
  readonly admitResumed: (attempt: Pick<Attempt, 'task' | 'signal'>, call: PlannedCall) => Promise<Admission>;
}

/** Permit and room that a call needs before it begins. */
export interface Admission extends CallPermit {
  /** Room for its responses; null for the sandbox, which answers over no connection. */
  readonly room: CallRoom | null;
}

/** Creates the admission of the calls of this process. */
export function createCallAdmission({ health, responses, storeGate, metrics }: AdmitDeps): CallAdmission {
  const openRoom = (
    { task, signal }: Pick<Attempt, 'task' | 'signal'>,
    { candidate, slots }: PlannedCall,
  ): Promise<CallRoom> => {
    const { resolution, accountId: key } = task;
    const bytes = measureResponse({ resolution, size: candidate.size, images: slots.length });
    return countWaiting(metrics, responses.open({ key, bytes, signal }));
  };
  return {
    isGateOpen: storeGate.isOpen,
    passGate: ({ signal }) => countWaiting(metrics, storeGate.passed(signal)),
    admit: async (attempt, planned) => {
      const permit = health.acquirePermit(planned.candidate, attempt.task);
      if (permit === null) {
        return null;
      }
      try {
        const room = planned.candidate.provider.upstream ? await openRoom(attempt, planned) : null;
        return {
          room,
          release: (failure, said) => {
            room?.close(false);
            permit.release(failure, said);
          },
        };
      } catch (error) {
        permit.release('cut');
        throw error;
      }
    },
    admitResumed: async (attempt, call) => {
      const room = await openRoom(attempt, call);
      return { room, release: () => room.close(false) };
    },
  };
}

async function countWaiting<T>({ callsWaiting }: AdmitDeps['metrics'], waiting: Promise<T>): Promise<T> {
  callsWaiting.inc();
  try {
    return await waiting;
  } finally {
    callsWaiting.dec();
  }
}
