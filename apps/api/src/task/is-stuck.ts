import { BY_TIME } from '@image-gateway/shared/db';

const QUEUED_STUCK = "phase = 'queued' AND due_at < now() - interval '30 seconds'";
const RUNNING_STUCK = "phase = 'running' AND lease_until < now() - interval '15 seconds'";
const NEAR_END = "deadline_at < now() + interval '1 minute'";

/** SQL condition of a stuck task: sweeps should have taken it, because it is overdue or its lease has expired, or its deadline is near. */
export const IS_STUCK = `(${QUEUED_STUCK} OR ${RUNNING_STUCK} OR ${NEAR_END})`;

/**
 * Builds the SQL of the ids of stuck tasks, up to `limit` of each kind, the oldest first. Each kind has an index of its own, so
 * that the number of other open tasks does not matter.
 */
export function selectStuckTaskIds(limit: string): string {
  const oldest = (condition: string, order: string): string =>
    `(SELECT id FROM tasks WHERE status = 'pending' AND ${BY_TIME} AND ${condition} ORDER BY ${order} LIMIT ${limit})`;
  return [
    oldest(QUEUED_STUCK, 'due_at'),
    oldest(RUNNING_STUCK, 'lease_until'),
    oldest(NEAR_END, 'deadline_at'),
  ].join('\n UNION ');
}
