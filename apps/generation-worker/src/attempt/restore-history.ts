import {
  type CallOutcome,
  type CallRow,
  type Database,
  findCalls,
  findOutputs,
  finishCall,
} from '@image-gateway/shared/db';
import type { Router } from '../routing/create-router.js';
import type { Attempt } from './attempt.js';

/**
 * Restores the images and calls of earlier attempts. Returns what writes down how the calls ended that they left open. Images
 * of these are adopted before that: while a call is open, a cancellation does not end the task.
 */
export async function restoreHistory(
  { db, router }: { readonly db: Pick<Database, 'run'>; readonly router: CallOwners },
  attempt: Attempt,
): Promise<() => Promise<void>> {
  const { task } = attempt;
  if (task.storedCount > 0) {
    for (const row of await findOutputs(db, task.id)) {
      attempt.recordOutput(row);
    }
  }
  const interrupted: CallOutcome[] = [];
  for (const call of task.callCount === 0 ? [] : await findCalls(db, task.id)) {
    const end = await findInterruptedEnd(call, router);
    attempt.recordCall({ ...call, ...end });
    if (end !== null) {
      interrupted.push({ callId: call.id, detail: call.detail, ...end });
    }
  }
  return async () => {
    for (const outcome of interrupted) {
      await finishCall(db, outcome);
    }
  };
}

type CallOwners = Pick<Router, 'findMaker' | 'describeCut'>;

/**
 * Returns the end of a call that an earlier attempt left open; null when it has ended or its job can be resumed.
 * A synchronous call that a crash cut is repeated. A submission whose job id was never saved may have been billed; so may
 * a job whose provider or key is no longer configured.
 */
export async function findInterruptedEnd(
  call: CallRow,
  router: CallOwners,
): Promise<Pick<CallOutcome, 'state' | 'costMicros'> | null> {
  if (call.state === 'started') {
    return router.describeCut(call);
  }
  const isLost = call.state === 'submitted' && router.findMaker(call) === null;
  return isLost ? { state: 'unknown', costMicros: call.costMicros } : null;
}
