import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededAccount } from '../stage/rows/seed-accounts.js';
import type { Product } from '../stage/with-product.js';

/** When a task was accepted, started and ended, in milliseconds since it was submitted, by the database's clock. */
export interface TaskTimes {
  readonly acceptMs: number;
  readonly startMs: number;
  readonly endMs: number;
}

const LOOK_EVERY_MS = 20;
const TIMEOUT_MS = 30_000;

/** Submits one task and waits until it has ended; rejects when it was refused, failed or takes longer than 30 s. */
export async function runTask(
  { pool, apis }: Pick<Product, 'pool' | 'apis'>,
  { apiKey }: SeededAccount,
  prompt: string,
): Promise<TaskTimes> {
  const clock = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const submittedAt = clock.rows[0]?.now.getTime() ?? 0;
  const answer = await fetch(`${apis[0]?.url}/v1/generate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'nanobanana', prompt }),
  });
  const { data } = (await answer.json()) as { data?: { id?: string } };
  if (answer.status !== 202) {
    throw new Error(`a task was answered with ${answer.status}`);
  }
  for (const until = Date.now() + TIMEOUT_MS; Date.now() < until; await sleep(LOOK_EVERY_MS)) {
    const { rows } = await pool.query<{ status: string; accepted: Date; started: Date; ended: Date }>(
      `SELECT status, created_at AS accepted, started_at AS started, completed_at AS ended
         FROM tasks WHERE id = $1 AND status <> 'pending'`,
      [data?.id],
    );
    const [row] = rows;
    if (!row) {
      continue;
    }
    if (row.status !== 'completed') {
      throw new Error(`a task ended ${row.status}`);
    }
    return {
      acceptMs: row.accepted.getTime() - submittedAt,
      startMs: row.started.getTime() - submittedAt,
      endMs: row.ended.getTime() - submittedAt,
    };
  }
  throw new Error('a task did not come to its end');
}
