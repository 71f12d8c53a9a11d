import { type CallRow, type Database, findCancelRequest, startCall } from '@image-gateway/shared/db';
import type { IdPrefix } from '@image-gateway/shared/ids';
import { type Attempt, AttemptAborted } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';
import type { PlannedCall } from '../routing/plan-calls.js';

/** Dependencies of inserting a call. */
export interface InsertDeps {
  readonly db: Pick<Database, 'run'>;
  readonly newId: (prefix: IdPrefix) => string;
}

/** Inserts the row of a call before it is made, at its list price. Returns null when the task was canceled. Throws AttemptAborted when the call must not be made. Must not run twice at a time for one task. */
export async function insertCall(
  { db, newId }: InsertDeps,
  attempt: Attempt,
  { candidate, slots }: PlannedCall,
): Promise<CallRow | null> {
  const { task, calls, signal, log } = attempt;
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
  const isAllowed = await persist(() => startCall(db, known, row), { log, signal });
  if (!isAllowed) {
    if (
      await persist(() => findCancelRequest(db, { taskId: task.id, attempt: task.attempt }), { log, signal })
    ) {
      attempt.recordCancel();
      return null;
    }
    throw new AttemptAborted('lost');
  }
  attempt.recordCall(row);
  return row;
}
