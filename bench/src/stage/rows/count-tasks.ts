import type pg from 'pg';

/** How many tasks have ended and how many are open, by the counters of their accounts. */
export async function countTasks(pool: pg.Pool): Promise<{ readonly ended: number; readonly open: number }> {
  const { rows } = await pool.query<{ ended: number; open: number }>(
    `SELECT COALESCE(sum(task_count - open_count), 0)::float8 AS ended, COALESCE(sum(open_count), 0)::float8 AS open
       FROM accounts`,
  );
  return rows[0] ?? { ended: 0, open: 0 };
}
