import { settleTask } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { createTestTask, type TestAccount, type TestDatabase } from '@image-gateway/testing';

/** A task that has ended and whose webhook waits. */
export interface FinishedTask {
  readonly taskId: string;
  readonly deliveryId: string;
}

/** Accepts a task with a webhook and ends it as failed, which is due at once. */
export async function finishTask(
  test: TestDatabase,
  account: TestAccount,
  webhookUrl: string,
): Promise<FinishedTask> {
  const task = await createTestTask(test.db, account, {
    request: { webhook_url: webhookUrl, prompt: 'ü 猫' },
  });
  const settled = await settleTask(
    { db: test.db, newId, fileUrl: 'http://localhost:3000/files' },
    { taskId: task.id, attempt: 0, reason: 'Fehlgeschlagen – 失敗 \u2028 "quoted"' },
  );
  if (!settled.settled || settled.deliveryId === null) {
    throw new Error('the task has no webhook');
  }
  return { taskId: task.id, deliveryId: settled.deliveryId };
}
