import { eventually } from '@image-gateway/testing';
import type { Scene } from '../scenario.js';

/** Waits until `count` running tasks of the customer have some, but not all, images stored. Returns the number of those images. */
export async function untilHalfway(scene: Scene, count: number): Promise<number> {
  return eventually(
    async () => {
      const { rows } = await scene.lab.services.database.pool.query<{ halfway: number; stored: number }>(
        `SELECT count(*)::int AS halfway, COALESCE(sum(stored_count), 0)::int AS stored FROM tasks
          WHERE account_id = $1 AND phase = 'running' AND stored_count > 0 AND stored_count < num_outputs - 1`,
        [scene.customer.id],
      );
      const { halfway = 0, stored = 0 } = rows[0] ?? {};
      if (halfway < count) {
        throw new Error(`${halfway} tasks are halfway`);
      }
      return stored;
    },
    { timeoutMs: 15_000, everyMs: 20 },
  );
}
