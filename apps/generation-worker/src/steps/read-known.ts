import {
  type CallOutcome,
  type Database,
  findCalls,
  findOutputs,
  finishCall,
} from '@image-gateway/shared/db';
import type { Attempt } from '../attempt/attempt.js';
import type { Candidate } from '../providers/port.js';

/** Reads what earlier attempts have stored and called, and concludes the calls that they left open. */
export async function readKnown(
  { db }: { readonly db: Pick<Database, 'run'> },
  { task, outputs, calls }: Attempt,
  candidates: readonly Candidate[],
): Promise<void> {
  if (task.storedCount > 0) outputs.push(...(await findOutputs(db, task.id)));
  if (task.callCount === 0) return;
  for (const call of await findCalls(db, task.id)) {
    const state = stateOfLeftCall(call, candidates);
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
function stateOfLeftCall(
  call: { readonly state: string; readonly provider: string; readonly keyFingerprint: string | null },
  candidates: readonly Candidate[],
): CallOutcome['state'] | null {
  const own = candidates.filter(({ provider }) => provider.name === call.provider);
  if (call.state === 'started') return own.some(({ provider }) => !provider.asynchronous) ? 'cut' : 'unknown';
  if (call.state !== 'submitted') return null;
  return own.some(({ key }) => (key?.fingerprint ?? null) === call.keyFingerprint) ? null : 'unknown';
}
