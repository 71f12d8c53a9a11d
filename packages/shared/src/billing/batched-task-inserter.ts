import { typeOf } from '../catalog/index.js';
import {
  createMicroBatch,
  isConnectionTrouble,
  type MicroBatch,
  type Statement,
  sqlStateOf,
} from '../db/index.js';
import { AppError } from '../errors/index.js';
import { createTaskInserter, type InsertDeps, type InsertTask, type TaskToInsert } from './insert-task.js';
import { INSERT_TASKS, INSERT_TASKS_WAITING } from './insert-tasks-sql.js';

interface Outcome {
  readonly createdAt: Date | null;
  /** False when somebody else held the account, or there is no active one of this id. */
  readonly locked: boolean;
}
type Batch = MicroBatch<TaskToInsert, Outcome>;

const MAX_ITEMS = 200;
const LANES = 2;

/**
 * Inserts tasks many at a time: what arrives while a statement is running goes with the next one. The common lanes never
 * wait for an account: tasks of one that is held by somebody else go to a lane of that account. A batch that fails over one
 * of its rows is repeated row by row, so that a bad row hurts nobody.
 */
export function createBatchedTaskInserter(deps: InsertDeps): InsertTask {
  const insertAlone = createTaskInserter(deps);
  const common = batchOf(deps, INSERT_TASKS, LANES);
  const ofAccount = new Map<string, Batch>();
  const keysUnderWay = new Map<string, ReturnType<InsertTask>>();

  const insertWaiting = async (task: TaskToInsert): Promise<Outcome> => {
    const batch = ofAccount.get(task.accountId) ?? batchOf(deps, INSERT_TASKS_WAITING, 1);
    ofAccount.set(task.accountId, batch);
    try {
      return await batch.add(task);
    } finally {
      if (batch.isIdle()) ofAccount.delete(task.accountId);
    }
  };
  const insert: InsertTask = async (task) => {
    try {
      const { createdAt, locked } = await common.add(task);
      return locked ? createdAt : (await insertWaiting(task)).createdAt;
    } catch (error) {
      if (!isOfOneRow(error)) throw error;
      return insertAlone(task);
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

function batchOf(
  { db, maxPendingTasks, deadlineMs }: InsertDeps,
  statement: Statement,
  lanes: number,
): Batch {
  return createMicroBatch({
    run: (tasks) =>
      db.run<Outcome>(statement, [JSON.stringify(tasks.map(rowOf)), maxPendingTasks, deadlineMs]),
    maxItems: MAX_ITEMS,
    lanes,
    // A lock that was not to be had and a database that is away are the same for all; a lost connection is not.
    isShared: (error) => !isOfOneRow(error) && !isOfOneConnection(error),
  });
}

/** Whether the server refused the values of a row, rather than the moment. */
function isOfOneRow(error: unknown): boolean {
  return !isConnectionTrouble(error) && /^(22|23)/.test(sqlStateOf(error) ?? '');
}

/** Whether one connection or answer was lost while the database lives. */
function isOfOneConnection(error: unknown): boolean {
  return error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE' && isConnectionTrouble(error);
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
