import { typeOf } from '../catalog/index.js';
import type { GenerateRequest } from '../contract/index.js';
import { type Database, isUniqueViolation } from '../db/index.js';
import { ACCEPT_TASK } from './accept-sql.js';

/** A task that is about to be inserted, and what it holds. */
export interface TaskToInsert {
  readonly id: string;
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly requestId: string;
  readonly request: GenerateRequest;
  readonly unitMicros: bigint;
  readonly holdMicros: bigint;
  readonly idempotencyKey?: string | undefined;
  /** Of the request; goes with the idempotency key. */
  readonly fingerprint: Buffer | null;
}

/** A task that was inserted. */
export interface InsertedTask {
  readonly createdAt: Date;
  /** How many open tasks its account has by now, this one included. */
  readonly openCount: number;
}

/**
 * Holds the price and inserts the task. `key taken` means that its idempotency key names another task, null
 * that money or open places do not reach. Throws AppError.
 */
export type InsertTask = (task: TaskToInsert) => Promise<InsertedTask | 'key taken' | null>;

/** What inserting needs. */
export interface InsertDeps {
  readonly db: Pick<Database, 'run'>;
  readonly maxPendingTasks: number;
  readonly deadlineMs: number;
}

/** Inserts tasks with one statement each. */
export function createTaskInserter({ db, maxPendingTasks, deadlineMs }: InsertDeps): InsertTask {
  return async (task) => {
    const { request } = task;
    const values = [
      task.accountId,
      task.holdMicros,
      maxPendingTasks,
      task.id,
      task.apiKeyId,
      task.requestId,
      request.model,
      typeOf(request),
      request.prompt,
      request.negative_prompt ?? null,
      request.aspect_ratio,
      request.resolution,
      request.num_outputs,
      request.duration ?? null,
      request.image_urls ?? [],
      request.webhook_url ?? null,
      task.unitMicros,
      task.idempotencyKey ?? null,
      task.fingerprint,
      deadlineMs,
    ];
    try {
      const [row] = await db.run<InsertedTask>(ACCEPT_TASK, values);
      return row ?? null;
    } catch (error) {
      if (isUniqueViolation(error, 'tasks_idem_key')) return 'key taken';
      throw error;
    }
  };
}
