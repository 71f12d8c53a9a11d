import { groupBy } from './group-by.js';
import type { Submission } from '../load/submission.js';
import type { TaskHistory } from './read-history.js';

/**
 * Compares what clients were told with what there is: an accepted task exists for ever and under the id that was told, a
 * refused request left nothing, one of unknown fate made at most one task, and a key names one task at most.
 */
export function judgeSubmissions(
  submissions: readonly Submission[],
  history: readonly TaskHistory[],
): string[] {
  const faults: string[] = [];
  const byRequest = groupBy(history, ({ requestId }) => requestId);
  for (const { requestId, outcome, taskId, answer } of submissions) {
    const tasks = byRequest.get(requestId) ?? [];
    if (tasks.length > 1) faults.push(`${requestId} made ${tasks.length} tasks`);
    if (outcome === 'accepted' && tasks[0]?.id !== taskId)
      faults.push(`${requestId} was told ${taskId}, there is ${tasks[0]?.id ?? 'nothing'}: lost`);
    if (outcome === 'refused' && tasks.length > 0)
      faults.push(`${requestId} was refused with ${answer} and has made ${tasks[0]?.id}`);
  }
  const known = new Set(submissions.map(({ requestId }) => requestId));
  for (const { id, requestId } of history)
    if (!known.has(requestId)) faults.push(`task ${id} of ${requestId}: nobody asked for it`);
  for (const { id, status } of history) if (status === 'pending') faults.push(`task ${id} is still pending`);
  return faults;
}
