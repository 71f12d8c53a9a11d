import { createHash } from 'node:crypto';
import { settleTask } from '@image-gateway/shared/billing';
import { findTask, type TaskRow } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import { createTestTask, type TestAccount, type TestTaskOptions } from '@image-gateway/testing';
import type { TestApi } from './start-api.js';

/** Makes a task and ends it as a worker would: completed with the given images, or failed when there are none. */
export async function finishTask(
  api: TestApi,
  account: TestAccount,
  options: TestTaskOptions & { readonly images?: readonly Buffer[]; readonly settle?: boolean } = {},
): Promise<TaskRow> {
  const images = options.images ?? [Buffer.from('a picture')];
  const task = await createTestTask(api.test.db, account, {
    ...options,
    request: { num_outputs: Math.max(1, images.length), ...options.request },
  });
  await api.test.pool.query(
    `UPDATE tasks SET phase = 'running', attempt = 1, started_at = now(), lease_until = now() + interval '1 minute'
      WHERE id = $1`,
    [task.id],
  );
  for (const [index, bytes] of images.entries()) {
    const key = `images/${task.id}/${index}.png`;
    await api.test.pool.query(
      `INSERT INTO task_outputs (task_id, index, slot, key, content_type, bytes, width, height, sha256)
       VALUES ($1, $2, $2, $3, 'image/png', $4, 1, 1, $5)`,
      [task.id, index, key, bytes.length, createHash('sha256').update(bytes).digest('hex')],
    );
  }
  await api.test.pool.query('UPDATE tasks SET stored_count = $2 WHERE id = $1', [task.id, images.length]);
  if (options.settle !== false) {
    await settleTask(
      { db: api.test.db, newId, fileUrl: 'http://gateway.test/files' },
      { taskId: task.id, attempt: 1, reason: 'The upstream provider failed.' },
    );
  }
  const row = await findTask(api.test.db, task.id);
  if (!row) {
    throw new Error('the task is gone');
  }
  return row;
}
