import { eventually } from '@image-gateway/testing';
import type { Scene } from '../scenario.js';

/** Waits until so many tasks of the scene's customer run. */
export async function untilRunning(scene: Scene, count: number): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await scene.lab.services.database.pool.query<{ running: number }>(
        "SELECT count(*)::int AS running FROM tasks WHERE account_id = $1 AND phase = 'running'",
        [scene.customer.id],
      );
      if ((rows[0]?.running ?? 0) < count) {
        throw new Error(`${rows[0]?.running} tasks run`);
      }
    },
    { timeoutMs: 15_000 },
  );
}
