import type { TestAccount, TestDatabase } from '@image-gateway/testing';

/** Makes rows older, as if time had passed. */
export async function age({ pool }: TestDatabase, milliseconds: number): Promise<void> {
  await pool.query(
    `WITH processes AS (UPDATE facade_processes SET renewed_at = renewed_at - make_interval(secs => $1::float8 / 1000))
     UPDATE facade_requests SET changed_at = changed_at - make_interval(secs => $1::float8 / 1000)`,
    [milliseconds],
  );
}

/** Reads the states of all requests in the order of their tasks. */
export async function readStates({ pool }: TestDatabase): Promise<string[]> {
  const { rows } = await pool.query<{ state: string }>(
    'SELECT state FROM facade_requests ORDER BY created_at',
  );
  return rows.map(({ state }) => state);
}

/** Counts the tasks that an account has bought. */
export async function countTasks({ pool }: TestDatabase, { id }: TestAccount): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    'SELECT task_count AS count FROM accounts WHERE id = $1',
    [id],
  );
  return Number(rows[0]?.count);
}
