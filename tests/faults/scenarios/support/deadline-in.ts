import type { Scene } from '../scenario.js';

/**
 * Ends what is still open soon, as the deadline does in earnest. Task by task: many at once would lock them in another order
 * than the product does.
 */
export async function deadlineIn(scene: Scene, seconds: number): Promise<void> {
  const { pool } = scene.lab.services.database;
  const { rows } = await pool.query<{ id: string }>(
    "SELECT id FROM tasks WHERE account_id = $1 AND status = 'pending'",
    [scene.customer.id],
  );
  for (const { id } of rows) {
    await pool.query(
      "UPDATE tasks SET deadline_at = now() + $2::int * interval '1 s' WHERE id = $1 AND status = 'pending'",
      [id, seconds],
    );
  }
}
