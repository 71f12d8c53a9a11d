import { getTaskType } from '../catalog/index.js';
import type { TaskRequest } from '../contract/index.js';
import {
  type Account,
  type Database,
  inputRows,
  isUniqueViolation,
  type Statement,
  type Task,
} from '../db/index.js';
import { type RequestFingerprint, TASK_FIELD_NAMES, TASK_FIELDS } from '../task/index.js';
import {
  type DefaultLimits,
  EXCEEDED_COLUMNS,
  type ExceededLimit,
  judgeSubmits,
  SUBMIT_FIELDS,
  type Submit,
  toSubmitRow,
} from './judge-submit.js';

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

/** Fields that only the facade gives. */
const FACADE_FIELDS = { wishes: 'jsonb', shape_ratios: 'text[]' } as const;
const FIELDS = [...TASK_FIELD_NAMES, ...Object.keys(FACADE_FIELDS)].join(',\n         ');
const FIELD_TYPES = [
  ...TASK_FIELD_NAMES.map((name) => `${name} ${TASK_FIELDS[name].sqlType}`),
  ...Object.entries(FACADE_FIELDS).map(([name, type]) => `${name} ${type}`),
].join(', ');

/** Fields of an input row: what is judged, and what is inserted. */
const INPUT_FIELDS = `${SUBMIT_FIELDS}, ${FIELD_TYPES}, id text, deadline float8, request text, type text, unit int8, catalog int,
  idem text, fingerprint text, added text, waiter text, process text, equals text, equals_added text, retries int, sole bool, trace text`;

/** Minor number of the first release whose submits the database takes. */
const ACCEPTED_BY = 4;

/**
 * Judges, holds and inserts many tasks in one statement. Each account is locked once, in the order of ids. Submits that exceed no limit by
 * themselves are accepted in order while together they stay within the limits, the first of an account always. One that is neither accepted
 * nor refused lacks what those before it have asked for. It is judged again; each time at least one of the account was accepted.
 * The account is updated beside the insert, never after it: measured two to three times faster on a hot account.
 * A taken idempotency key fails the whole statement, holds included. So does an equal request of a key whose equal requests share a task.
 */
const insertTasks = (locking: string): string => `
WITH ${inputRows(INPUT_FIELDS)},
${judgeSubmits(locking)},
turns AS (
  SELECT s.*,
         sum(hold) OVER turn AS total,
         row_number() OVER turn AS tasks,
         count(host) OVER turn AS webhooks,
         sum(hold) OVER (PARTITION BY account, family ORDER BY place) AS key_total,
         sum(hold) OVER (PARTITION BY account, family, cap_value ORDER BY place) AS value_total
    FROM submit s
   WHERE place NOT IN (SELECT place FROM exceeded)
  WINDOW turn AS (PARTITION BY account ORDER BY place)),
taken AS (
  SELECT place,
         account,
         hold,
         open_count + tasks AS open_count
    FROM turns
   WHERE tasks = 1
      OR (total <= available
          AND open_count + tasks <= max_open_tasks
          AND (host IS NULL OR pending_deliveries + webhooks <= max_deliveries)
          AND key_total <= COALESCE(LEAST(cap_day_micros - day_micros,
                                          cap_month_micros - month_micros,
                                          cap_total_micros - total_micros), key_total)
          AND value_total <= COALESCE(cap_per_micros - value_micros, value_total))),
held AS (
  UPDATE accounts c
     SET held_micros = c.held_micros + t.hold,
         task_count = c.task_count + t.tasks,
         open_count = c.open_count + t.tasks
    FROM (SELECT account, sum(hold)::int8 AS hold, count(*)::int AS tasks FROM taken GROUP BY account) t
   WHERE c.id = t.account AND c.id = ANY (ARRAY(SELECT account FROM taken))),
inserted AS (
  INSERT INTO tasks (id, account_id, api_key_id, request_id, type, unit_micros, hold_micros, catalog_version, accepted_by,
         idem_key, idem_fingerprint, idem_added, traceparent, cap_value, deadline_at,
         ${FIELDS})
  SELECT id, account, key, request, type, unit, hold, catalog, ${ACCEPTED_BY},
         idem, decode(fingerprint, 'hex'), decode(added, 'hex'), trace, decode(cap_value, 'hex'),
         now() + make_interval(secs => deadline / 1000),
         ${FIELDS}
    FROM input
   WHERE place IN (SELECT place FROM taken)
  RETURNING id, created_at),
waiting AS (
  INSERT INTO facade_requests (task_id, account_id, api_key_id, fingerprint, added, request_id, process_id, retry_count, is_sole)
  SELECT id, account, key, decode(equals, 'hex'), decode(equals_added, 'hex'), waiter, process, retries, sole
    FROM input
   WHERE waiter IS NOT NULL AND place IN (SELECT place FROM taken))
SELECT n.created_at AS "createdAt",
       t.open_count::int AS "openCount",
       a.id IS NOT NULL AS locked,
       ${EXCEEDED_COLUMNS},
       i.place
  FROM input i
  LEFT JOIN account a ON a.id = i.account
  LEFT JOIN taken t ON t.place = i.place
  LEFT JOIN inserted n ON n.id = i.id
  LEFT JOIN exceeded e ON e.place = i.place
 ORDER BY i.place, e.number`;

const INSERT_TASKS: Statement = {
  name: 'insert-tasks',
  text: insertTasks('FOR NO KEY UPDATE SKIP LOCKED'),
  batch: { waitingText: insertTasks('FOR NO KEY UPDATE') },
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
