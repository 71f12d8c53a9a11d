import { createHash } from 'node:crypto';
import { settleTask } from '@image-gateway/shared/billing';
import type { Reason } from '@image-gateway/shared/contract';
import { newId } from '@image-gateway/shared/ids';
import type { TestApi } from './start-api.js';

/** How a task ends. */
export interface TaskEnd {
  readonly images: readonly Buffer[];
  /** Why it failed, without images. */
  readonly reason?: Reason | string;
  readonly settle?: boolean;
}

/** Ends a pending task as a worker would: completed with the given images, or failed when there are none. */
export async function endTask(
  { test }: Pick<TestApi, 'test'>,
  id: string,
  { images, reason = 'The upstream provider failed.', settle = true }: TaskEnd,
): Promise<void> {
  await test.pool.query(
    `UPDATE tasks SET phase = 'running', attempt = 1, started_at = now(), lease_until = now() + interval '1 minute'
      WHERE id = $1`,
    [id],
  );
  for (const [index, bytes] of images.entries()) {
    await test.pool.query(
      `INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
       VALUES ($1, $2, $2, $3, 'image/png', $4, 1, 1, $5)`,
      [
        id,
        index,
        `images/${id}/${index}.png`,
        bytes.length,
        createHash('sha256').update(bytes).digest('hex'),
      ],
    );
  }
  await test.pool.query('UPDATE tasks SET stored_count = $2 WHERE id = $1', [id, images.length]);
  if (settle) {
    await settleTask(
      { db: test.db, newId, fileUrl: 'http://gateway.test/files' },
      { taskId: id, attempt: 1, reason },
    );
  }
}
