import { acceptGeneration } from '@image-gateway/shared/billing';
import type { TaskRequest } from '@image-gateway/shared/contract';
import { type Database, findTask, type TaskRow } from '@image-gateway/shared/db';
import { newRequestId } from '@image-gateway/shared/ids';
import { type AcceptLimits, createAcceptDeps } from './create-accept-deps.js';
import type { TestAccount } from './create-test-account.js';

/** Options of a test task beside the defaults. */
export interface TestTaskOptions {
  readonly request?: Partial<TaskRequest>;
  readonly deadlineMs?: number;
  readonly idempotencyKey?: string;
  /** Key of metadata whose values have caps of their own. */
  readonly capPerKey?: string;
  readonly price?: NonNullable<AcceptLimits['price']>;
}

/** Accepts a task for an account, as the API would. */
export async function createTestTask(
  db: Database,
  account: TestAccount,
  options: TestTaskOptions = {},
): Promise<TaskRow> {
  const { task } = await acceptGeneration(
    createAcceptDeps(db, {
      ...(options.deadlineMs !== undefined && { deadlineMs: options.deadlineMs }),
      ...(options.price && { price: options.price }),
    }),
    {
      accountId: account.id,
      apiKeyId: account.apiKeyId,
      requestId: newRequestId(),
      request: {
        model: 'nanobanana',
        prompt: 'a red fox',
        aspect_ratio: '16:9',
        num_outputs: 1,
        resolution: '1k',
        ...options.request,
      },
      ...(options.capPerKey !== undefined && { capPerKey: options.capPerKey }),
      ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
    },
  );
  const row = await findTask(db, task.id);
  if (!row) {
    throw new Error(`task ${task.id} was accepted and is not there`);
  }
  return row;
}
