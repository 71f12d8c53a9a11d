import {
  type CallOutcome,
  type CallRow,
  type Database,
  findCalls,
  findOutputs,
  finishCall,
} from '@image-gateway/shared/db';
import type { Attempt } from '../attempt/attempt.js';
import type { Router } from '../routing/create-router.js';

/** Reads what earlier attempts have stored and called, and concludes the calls that they left open. */
export async function restoreHistory(
  { db }: { readonly db: Pick<Database, 'run'> },
  { task, outputs, calls }: Attempt,
  router: Pick<Router, 'findMaker' | 'isSynchronous'>,
): Promise<void> {
  if (task.storedCount > 0) outputs.push(...(await findOutputs(db, task.id)));
  if (task.callCount === 0) return;
  for (const call of await findCalls(db, task.id)) {
    const state = getInterruptedState(call, router);
    calls.set(call.id, state === null ? call : { ...call, state });
    if (state !== null) {
      await finishCall(db, { callId: call.id, state, detail: call.detail, costMicros: call.costMicros });
    }
  }
}

/**
 * What a call that an earlier attempt left open counts as, or null when it is concluded or its job can be resumed. A
 * synchronous call that our own crash cut is repeated; a submission whose job id was never saved may have been billed, and
 * so may a job that nobody here can ask for any more.
 */
export function getInterruptedState(
  call: CallRow,
  router: Pick<Router, 'findMaker' | 'isSynchronous'>,
): CallOutcome['state'] | null {
  if (call.state === 'started') return router.isSynchronous(call.provider) ? 'cut' : 'unknown';
  return call.state === 'submitted' && router.findMaker(call) === null ? 'unknown' : null;
}
