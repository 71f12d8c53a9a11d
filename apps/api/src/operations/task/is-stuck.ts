import { BY_TIME } from '@image-gateway/shared/db';

const OF_QUEUED = "phase = 'queued' AND due_at < now() - interval '30 seconds'";
const OF_RUNNING = "phase = 'running' AND lease_until < now() - interval '15 seconds'";
const NEAR_END = "deadline_at < now() + interval '1 minute'";

/** SQL condition of a task that should have moved on: due or out of its lease for longer than sweeps need, or near its end without a result. */
export const IS_STUCK = `(${OF_QUEUED} OR ${OF_RUNNING} OR ${NEAR_END})`;

/**
 * Builds the SQL of the ids of stuck tasks, up to `limit` of each kind, the oldest of it first. Each kind has an index of its
 * own, so that open tasks that move cost nothing, however many they are.
 */
export function stuckTaskIds(limit: string): string {
  const oldest = (condition: string, order: string): string =>
    `(SELECT id FROM tasks WHERE status = 'pending' AND ${BY_TIME} AND ${condition} ORDER BY ${order} LIMIT ${limit})`;
  return [
    oldest(OF_QUEUED, 'due_at'),
    oldest(OF_RUNNING, 'lease_until'),
    oldest(NEAR_END, 'deadline_at'),
  ].join('\n UNION ');
}
