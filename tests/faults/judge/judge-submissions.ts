import type { Submission } from '../load/submission.js';
import type { TaskHistory } from './read-history.js';

/**
 * Compares the responses of clients with the stored tasks:
 * - an accepted task exists for ever, under the id in its response;
 * - a refused request left nothing;
 * - a request of unknown outcome made at most one task;
 * - an idempotency key names at most one task.
 */
export function judgeSubmissions(
  submissions: readonly Submission[],
  history: readonly TaskHistory[],
): string[] {
  const faults: string[] = [];
  const byRequest = Map.groupBy(history, ({ requestId }) => requestId);
  const byKey = Map.groupBy(history, ({ idemKey }) => idemKey ?? '');
  const keys = new Set(submissions.map(({ idempotencyKey }) => idempotencyKey));
  for (const { requestId, idempotencyKey, outcome, taskId, answer } of submissions) {
    const made = byRequest.get(requestId) ?? [];
    const named = idempotencyKey === null ? made : (byKey.get(idempotencyKey) ?? []);
    if (made.length > 1) {
      faults.push(`${requestId} made ${made.length} tasks`);
    }
    if (named.length > 1) {
      faults.push(`the key ${idempotencyKey} names ${named.length} tasks`);
    }
    if (outcome === 'accepted' && named[0]?.id !== taskId) {
      faults.push(`${requestId} was told ${taskId}, there is ${named[0]?.id ?? 'nothing'}: lost`);
    }
    if (outcome === 'refused' && made.length > 0) {
      faults.push(`${requestId} was refused with ${answer} and has made ${made[0]?.id}`);
    }
  }
  const known = new Set(submissions.map(({ requestId }) => requestId));
  for (const { id, requestId, idemKey } of history) {
    if (!known.has(requestId) && (idemKey === null || !keys.has(idemKey))) {
      faults.push(`task ${id} of ${requestId}: nobody asked for it`);
    }
  }
  for (const { id, status } of history) {
    if (status === 'pending') {
      faults.push(`task ${id} is still pending`);
    }
  }
  return faults;
}
