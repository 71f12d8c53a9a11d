import { typeOf } from '../catalog/index.js';
import { isUniqueViolation } from '../db/index.js';
import { createAccountLanes } from './account-lanes.js';
import type { InsertDeps, InsertTask, TaskToInsert } from './insert-task.js';
import { INSERT_TASKS, INSERT_TASKS_WAITING } from './insert-tasks-sql.js';

interface Outcome {
  /** Null when the task was not inserted. */
  readonly createdAt: Date | null;
  readonly openCount: number | null;
  /** False when somebody else held the account, or there is no active one of this id. */
  readonly locked: boolean;
}

/** Inserts tasks many at a time, as account lanes do; each caller gets its own answer. */
export function createBatchedTaskInserter({ db, maxPendingTasks, deadlineMs }: InsertDeps): InsertTask {
  const insertInLanes = createAccountLanes<TaskToInsert, Outcome>({
    accountOf: ({ accountId }) => accountId,
    run: (tasks, { wait }) =>
      db.run(wait ? INSERT_TASKS_WAITING : INSERT_TASKS, [
        JSON.stringify(tasks.map(rowOf)),
        maxPendingTasks,
        deadlineMs,
      ]),
  });
  const keysUnderWay = new Map<string, ReturnType<InsertTask>>();

  const insert: InsertTask = async (task) => {
    try {
      const { createdAt, openCount } = await insertInLanes(task);
      return createdAt && { createdAt, openCount: openCount ?? 1 };
    } catch (error) {
      if (isUniqueViolation(error, 'tasks_idem_key')) return 'key taken';
      throw error;
    }
  };

  return async (task) => {
    if (task.idempotencyKey === undefined) return insert(task);
    // Two tasks of one key in one batch would make it fail: the second waits for the first, and yields if that was inserted.
    const name = `${task.accountId} ${task.idempotencyKey}`;
    const earlier = keysUnderWay.get(name) ?? Promise.resolve(null);
    const turn = earlier.then((result) => (result === null ? insert(task) : 'key taken'));
    const settled = turn.catch(() => null);
    keysUnderWay.set(name, settled);
    try {
      return await turn;
    } finally {
      if (keysUnderWay.get(name) === settled) keysUnderWay.delete(name);
    }
  };
}

function rowOf(task: TaskToInsert): Record<string, unknown> {
  const { request } = task;
  return {
    id: task.id,
    account: task.accountId,
    hold: String(task.holdMicros),
    key: task.apiKeyId,
    request: task.requestId,
    model: request.model,
    type: typeOf(request),
    prompt: request.prompt,
    negative: request.negative_prompt,
    ratio: request.aspect_ratio,
    resolution: request.resolution,
    outputs: request.num_outputs,
    duration: request.duration,
    images: request.image_urls ?? [],
    webhook: request.webhook_url,
    unit: String(task.unitMicros),
    idem: task.idempotencyKey,
    fingerprint: task.fingerprint?.toString('hex'),
  };
}
