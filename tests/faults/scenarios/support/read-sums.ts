import { eventually } from '@image-gateway/testing';
import type { Scene } from '../scenario.js';

/** Sums over the tasks of a customer. */
export interface Sums {
  readonly tasks: number;
  readonly pending: number;
  readonly tries: number;
  readonly calls: number;
  readonly images: number;
  /** Images requested from providers, over all calls. */
  readonly asked: number;
  /** Lower quartile of the time until a task was begun, in milliseconds. */
  readonly waitedMs: number;
  /** Longest time from the creation of a task until it was begun, in milliseconds. */
  readonly slowestStartMs: number;
  /** Longest time from the creation of a task to its end, in milliseconds. */
  readonly slowestMs: number;
}

const SQL = `
SELECT count(*)::int AS tasks, count(*) FILTER (WHERE status = 'pending')::int AS pending,
       COALESCE(sum(tries), 0)::int AS tries, COALESCE(sum(call_count), 0)::int AS calls,
       COALESCE(sum(stored_count), 0)::int AS images,
       COALESCE(percentile_cont(0.25) WITHIN GROUP (ORDER BY EXTRACT(EPOCH FROM started_at - created_at)), 0) * 1000
         AS "waitedMs",
       COALESCE(max(EXTRACT(EPOCH FROM started_at - created_at)), 0)::float8 * 1000 AS "slowestStartMs",
       COALESCE(max(EXTRACT(EPOCH FROM completed_at - created_at)), 0)::float8 * 1000 AS "slowestMs",
       (SELECT COALESCE(sum(c.images_asked), 0)::int FROM provider_calls c JOIN tasks o ON o.id = c.task_id
         WHERE o.account_id = $1) AS asked
  FROM tasks WHERE account_id = $1`;

/** Waits until nothing of the customer is pending and gives the sums over its tasks. */
export function readSums(scene: Scene, accountId = scene.customer.id, timeoutMs = 30_000): Promise<Sums> {
  return eventually(
    async () => {
      const { rows } = await scene.lab.services.database.pool.query<Sums>(SQL, [accountId]);
      const [sums] = rows;
      if (sums === undefined || sums.pending > 0) {
        throw new Error(`${sums?.pending} tasks are pending`);
      }
      return sums;
    },
    { timeoutMs, everyMs: 60 },
  );
}
