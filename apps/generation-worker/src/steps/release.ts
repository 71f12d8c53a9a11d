import { type Database, releaseTask } from '@image-gateway/shared/db';
import type { Producer } from '@image-gateway/shared/queues';
import type { Attempt } from '../attempt/attempt.js';
import { persist } from '../attempt/persist.js';

/** What giving a task back needs. */
export interface ReleaseDeps {
  readonly db: Pick<Database, 'run'>;
  readonly producer: Pick<Producer, 'add'>;
}

// A hint that comes a moment too early would find nothing due.
const HINT_SLACK_MS = 50;
// The task had its turn; it does not wait for it once more.
const FIRST_TURN = 1;

/** Puts the task back into the queue, due after `delayMs`, and hints at it. Tries until the database has answered. */
export async function release(
  { db, producer }: ReleaseDeps,
  { task, openKeys, log }: Pick<Attempt, 'task' | 'openKeys' | 'log'>,
  terms: { readonly delayMs: number; readonly burnsTry: boolean; readonly why: string },
): Promise<void> {
  const { delayMs, burnsTry, why } = terms;
  const given = await persist(
    () =>
      releaseTask(db, {
        taskId: task.id,
        attempt: task.attempt,
        delayMs,
        burnsTry,
        isClean: openKeys.size === 0,
      }),
    { log },
  );
  if (!given) return;
  log.info('gave the task back', { why, delayMs, burnsTry });
  const hint = { taskId: task.id, attempt: task.attempt, traceId: task.requestId };
  const options = { delayMs: delayMs > 0 ? delayMs + HINT_SLACK_MS : 0, turns: [FIRST_TURN] };
  await producer.add('generation', [hint], options);
}
