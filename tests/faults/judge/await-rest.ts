import { eventually, type TestDatabase } from '@image-gateway/testing';

/** Ways of a receiver to which a webhook is never delivered. */
const HOPELESS = ['hang', 'tarpit', 'redirect', 'gone', 'huge', 'drip', 'early'];

/** Waits until no task of the account is pending and no webhook is under way that can arrive; throws what is left after the timeout. */
export async function awaitRest(
  database: TestDatabase,
  accountId: string,
  timeoutMs: number,
): Promise<{ readonly tasksMs: number; readonly allMs: number }> {
  const begun = performance.now();
  const look = (sql: string, values: readonly unknown[]) => async () => {
    const { rows } = await database.pool.query<Record<string, unknown>>(sql, [...values]);
    if (rows.length > 0) {
      throw new Error(`after ${timeoutMs} ms there are still: ${JSON.stringify(rows)}`);
    }
  };
  const pending = `SELECT id, phase, attempt, tries, lease_until, due_at, request_id FROM tasks
    WHERE account_id = $1 AND status = 'pending' LIMIT 5`;
  await eventually(look(pending, [accountId]), { timeoutMs, everyMs: 60 });
  const tasksMs = performance.now() - begun;
  const hooks = `SELECT id, task_id, state, attempt, url, last_error FROM webhook_deliveries
    WHERE account_id = $1 AND state IN ('pending', 'sending') AND split_part(url, '/', 4) <> ALL($2) LIMIT 5`;
  await eventually(look(hooks, [accountId, HOPELESS]), { timeoutMs, everyMs: 60 });
  return { tasksMs, allMs: performance.now() - begun };
}
