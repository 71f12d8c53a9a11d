import { getTaskType } from '../catalog/index.js';
import type { TaskRequest } from '../contract/index.js';
import {
  type Account,
  type Database,
  isUniqueViolation,
  readSql,
  type Statement,
  type Task,
} from '../db/index.js';
import type { RequestFingerprint } from '../task/index.js';
import { type DefaultLimits, type ExceededLimit, type Submit, toSubmitRow } from './judge-submit.js';

/** Request of the OpenAI-compatible facade that waits for the answer of a task. */
export interface WaitingRequest {
  /** Unique among all requests of all processes. */
  readonly id: string;
  readonly processId: string;
  /** Over everything that makes two requests equal. */
  readonly fingerprint: RequestFingerprint;
  /** Which repetition of a request this is by its client's word; 0 for none. */
  readonly retryCount: number;
  /** True if equal requests of the key share a task: none is inserted while another one is under way. */
  readonly isSole: boolean;
}

/** Task that is about to be inserted, and the amount that it holds. */
export interface TaskToInsert extends Submit {
  readonly id: string;
  readonly requestId: string;
  readonly request: TaskRequest;
  readonly idempotencyKey?: string | undefined;
  /** Trace of the request; null where nothing is traced. */
  readonly traceparent?: string | null | undefined;
  /** Of the request; goes with the idempotency key. */
  readonly fingerprint: RequestFingerprint | null;
  /** Its row is inserted with the task, so that no crash separates them. */
  readonly waiting?: WaitingRequest | undefined;
}

/** Task that was inserted. */
export interface InsertedTask {
  readonly createdAt: Task['createdAt'];
  /** Number of open tasks of its account by now, this one included. */
  readonly openCount: Account['openCount'];
}

/**
 * Holds the price and inserts the task, or returns the first limit that it would exceed. Returns `key taken` when its idempotency key names
 * another task, and `equal under way` when it is to share that of an equal request. Throws AppError.
 */
export type InsertTask = (
  task: TaskToInsert,
) => Promise<InsertedTask | ExceededLimit | 'key taken' | 'equal under way'>;

/** Dependencies and limits of inserting; `deadlineMs` is counted from the submit. */
export interface InsertDeps extends DefaultLimits {
  readonly db: Pick<Database, 'run'>;
  readonly deadlineMs: number;
}

const INSERT_TASKS: Statement = {
  name: 'insert-tasks',
  text: readSql(import.meta.url, 'generated/insert-tasks.sql'),
  batch: { waitingText: readSql(import.meta.url, 'generated/insert-tasks-waiting.sql') },
};

/** First row of a task: it was inserted, or would exceed a limit, or neither. */
type Outcome = {
  /** Null when the task was not inserted. */
  readonly createdAt: InsertedTask['createdAt'] | null;
  readonly openCount: InsertedTask['openCount'] | null;
} & (ExceededLimit | { readonly name: null });

/** Makes the function that inserts tasks; those that come at the same time share a statement. */
export function createTaskInserter({ db, ...limits }: InsertDeps): InsertTask {
  /** Tells, for each name, whether a task that is under way has it. */
  const namesUnderWay = new Map<string, Promise<boolean>>();

  /** Judges a task again while others are accepted before it. */
  const insertInTurn = async (task: TaskToInsert): Promise<InsertedTask | ExceededLimit> => {
    for (;;) {
      const [outcome] = await db.run<Outcome>(INSERT_TASKS, [toRow(task, limits)]);
      if (!outcome) {
        throw new Error(`the statement said nothing about the task ${task.id}`);
      }
      const { createdAt, openCount, ...limit } = outcome;
      if (createdAt !== null) {
        return { createdAt, openCount: openCount ?? 1 };
      }
      if (limit.name !== null) {
        return limit;
      }
    }
  };
  const insert: InsertTask = async (task) => {
    try {
      return await insertInTurn(task);
    } catch (error) {
      if (isUniqueViolation(error, 'tasks_idem_key')) {
        return 'key taken';
      }
      if (isUniqueViolation(error, 'facade_requests_sole')) {
        return 'equal under way';
      }
      throw error;
    }
  };

  return async (task) => {
    const exclusive = getExclusiveName(task);
    if (exclusive === null) {
      return insert(task);
    }
    // Two tasks of one name in one batch would make it fail: the second waits for the first, and yields if that was inserted.
    const { name, taken } = exclusive;
    const earlier = namesUnderWay.get(name) ?? Promise.resolve(false);
    const turn = earlier.then((isTaken) => (isTaken ? taken : insert(task)));
    const settled = turn.then(
      (result) => typeof result === 'string' || !('name' in result),
      () => false,
    );
    namesUnderWay.set(name, settled);
    try {
      return await turn;
    } finally {
      if (namesUnderWay.get(name) === settled) {
        namesUnderWay.delete(name);
      }
    }
  };
}

/** Returns what only one of several tasks may have, and the outcome of the others; null for a task that excludes none. */
function getExclusiveName({
  accountId,
  apiKeyId,
  idempotencyKey,
  waiting,
}: TaskToInsert): { readonly name: string; readonly taken: 'key taken' | 'equal under way' } | null {
  if (idempotencyKey !== undefined) {
    return { name: `${accountId} ${idempotencyKey}`, taken: 'key taken' };
  }
  if (!waiting?.isSole) {
    return null;
  }
  const { first, added } = waiting.fingerprint;
  return { name: `${apiKeyId} ${first.toString('hex')} ${added.toString('hex')}`, taken: 'equal under way' };
}

type InsertLimits = Omit<InsertDeps, 'db'>;

function toRow(task: TaskToInsert, limits: InsertLimits): Record<string, unknown> {
  const { request, price } = task;
  return {
    ...toSubmitRow(task, limits),
    id: task.id,
    deadline: limits.deadlineMs,
    request: task.requestId,
    type: getTaskType(request),
    ...request,
    image_urls: request.image_urls ?? [],
    quality: price.quality,
    unit: String(price.unitMicros),
    catalog: price.catalogVersion,
    idem: task.idempotencyKey,
    fingerprint: task.fingerprint?.first.toString('hex'),
    added: task.fingerprint?.added.toString('hex'),
    waiter: task.waiting?.id,
    process: task.waiting?.processId,
    equals: task.waiting?.fingerprint.first.toString('hex'),
    equals_added: task.waiting?.fingerprint.added.toString('hex'),
    retries: task.waiting?.retryCount,
    sole: task.waiting?.isSole,
    trace: task.traceparent,
  };
}
