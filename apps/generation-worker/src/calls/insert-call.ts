import {
  type CallRefusal,
  type CallRow,
  type Database,
  findCancelRequest,
  startCall,
} from '@image-gateway/shared/db';
import type { IdPrefix } from '@image-gateway/shared/ids';
import { type Attempt, AttemptAborted } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';
import type { Candidate } from '../providers/port.js';
import type { PlannedCall } from '../routing/plan-calls.js';

/** Dependencies of inserting a call. */
export interface InsertDeps {
  readonly db: Pick<Database, 'run'>;
  readonly newId: (prefix: IdPrefix) => string;
  /** Micro-dollars that all calls of the UTC day may cost; null without a ceiling. */
  readonly ceilingMicros: bigint | null;
  /** Keeps the calls of a candidate waiting for a while. */
  readonly holdBack: (candidate: Candidate, refusal: CallRefusal) => void;
}

/**
 * Inserts the row of a call before it is made, at its list price. Returns null when the task was canceled, or the call may not
 * start now. Throws AttemptAborted when the call must not be made. Must not run twice at a time for one task.
 */
export async function insertCall(
  { db, newId, ceilingMicros, holdBack }: InsertDeps,
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
    createdAt: new Date(),
    detail: null,
    costMicros: candidate.listCostMicros * BigInt(slots.length),
  };
  signal.throwIfAborted();
  const terms = { taskId: task.id, knownCalls: calls.size, ceilingMicros };
  const result = await persist(() => startCall(db, terms, row), { log, signal });
  if (result === 'started') {
    attempt.recordCall(row);
    return row;
  }
  if (result !== 'forbidden') {
    log.info('a call waits', { provider: row.provider, model: row.model, why: result });
    holdBack(candidate, result);
    return null;
  }
  if (
    await persist(() => findCancelRequest(db, { taskId: task.id, attempt: task.attempt }), { log, signal })
  ) {
    attempt.recordCancel();
    return null;
  }
  throw new AttemptAborted('lost');
}
