import { type CallRow, type Database, startCall } from '@image-gateway/shared/db';
import type { IdPrefix } from '@image-gateway/shared/ids';
import type { Attempt } from '../attempt/attempt.js';
import { AttemptAborted } from '../attempt/attempt-aborted.js';
import { persist } from '../attempt/persist.js';
import type { PlannedCall } from '../routing/plan-calls.js';

/** What writing down a call needs. */
export interface StartDeps {
  readonly db: Pick<Database, 'run'>;
  readonly newId: (prefix: IdPrefix) => string;
}

/** Writes down a call before it is made, at its list price; throws AttemptAborted when it must not be made. One at a time for a task. */
export async function writeDownCall(
  { db, newId }: StartDeps,
  { task, calls, signal, log }: Attempt,
  { candidate, slots }: PlannedCall,
): Promise<CallRow> {
  const row: CallRow = {
    id: newId('call'),
    attempt: task.attempt,
    provider: candidate.provider.name,
    model: candidate.model,
    slots,
    requestId: null,
    jobHandle: null,
    keyFingerprint: candidate.key?.fingerprint ?? null,
    state: 'started',
    detail: null,
    costMicros: candidate.listCostMicros * BigInt(slots.length),
  };
  signal.throwIfAborted();
  const known = { taskId: task.id, knownCalls: calls.size };
  const allowed = await persist(() => startCall(db, known, row), { log, signal });
  if (!allowed) throw new AttemptAborted('lost');
  calls.set(row.id, row);
  return row;
}
