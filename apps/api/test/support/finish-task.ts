import { findTask, type TaskRow } from '@image-gateway/shared/db';
import { createTestTask, type TestAccount, type TestTaskOptions } from '@image-gateway/testing';
import { endTask } from './end-task.js';
import type { TestApi } from './start-api.js';

/** Makes a task and ends it as a worker would: completed with the given images, or failed when there are none. */
export async function finishTask(
  api: TestApi,
  account: TestAccount,
  options: TestTaskOptions & { readonly images?: readonly Buffer[]; readonly settle?: boolean } = {},
): Promise<TaskRow> {
  const { images = [Buffer.from('an image')], settle = true } = options;
  const task = await createTestTask(api.test.db, account, {
    ...options,
    request: { num_outputs: Math.max(1, images.length), ...options.request },
  });
  await endTask(api, task.id, { images, settle });
  const row = await findTask(api.test.db, task.id);
  if (!row) {
    throw new Error('the task is gone');
  }
  return row;
}
