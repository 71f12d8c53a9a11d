import { eventually } from '@image-gateway/testing';
import type { Scene } from './scenario.js';

/** Waits until so many running tasks of the scene's customer have some of their pictures stored, and not all. */
export async function untilHalfway(scene: Scene, count: number): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await scene.lab.services.database.pool.query<{ halfway: number }>(
        `SELECT count(*)::int AS halfway FROM tasks
          WHERE account_id = $1 AND phase = 'running' AND stored_count > 0 AND stored_count < num_outputs - 1`,
        [scene.customer.id],
      );
      if ((rows[0]?.halfway ?? 0) < count) throw new Error(`${rows[0]?.halfway} tasks are halfway`);
    },
    { timeoutMs: 15_000, everyMs: 20 },
  );
}
