import type { Rate } from '../../runtime/config/index.js';
import { getHostPort } from '../../runtime/net/index.js';
import { getTaskType } from '../catalog/index.js';
import type { GenerateRequest, Quality, TaskRequest } from '../contract/index.js';
import {
  type Account,
  type Database,
  inputRows,
  isUniqueViolation,
  type Statement,
  type Task,
} from '../db/index.js';
import { type RequestFingerprint, TASK_FIELD_NAMES, TASK_FIELDS } from '../task/index.js';
import { failedTasksBefore, failedTasksTotal } from './failed-tasks.js';

/** Price of a task, and the catalog versions that it is from. */
export interface TaskPrice {
  /** Micro-dollars an image. */
  readonly unitMicros: bigint;
  /** Quality that the price is for; null for a plain price. */
  readonly quality: Quality | null;
  readonly catalogVersion: number;
  /** Newest version that was known, readable or not: a newer one that is seconds old refuses the insert. */
  readonly newestVersion: number;
}

/** Returns what a request holds, in micro-dollars. */
export function getHoldMicros({ num_outputs }: GenerateRequest, { unitMicros }: TaskPrice): bigint {
  return unitMicros * BigInt(num_outputs);
}

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

/** Value of an entry of metadata that a daily cap is for. */
export interface CapValue {
  /** Key of the entry. */
  readonly key: string;
  /** Keyed hash of the value, in hexadecimal. */
  readonly hash: string;
}

/** Task that is about to be inserted, and the amount that it holds. */
export interface TaskToInsert {
  readonly id: string;
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly requestId: string;
  readonly request: TaskRequest;
  readonly price: TaskPrice;
  readonly idempotencyKey?: string | undefined;
  /** Trace of the request; null where nothing is traced. */
  readonly traceparent?: string | null | undefined;
  /** Value that has a daily cap of its own; null: the key has no such cap. */
  readonly capValue: CapValue | null;
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
 * Holds the price and inserts the task. Returns `key taken` when its idempotency key names another task, and `equal under way` when it is
 * to share that of an equal request. Returns null when money or open places do not reach. Throws AppError.
 */
export type InsertTask = (
  task: TaskToInsert,
) => Promise<InsertedTask | 'key taken' | 'equal under way' | null>;

/** Limits of one account. */
export interface DefaultLimits {
  /** Maximum of open tasks (`MAX_PENDING_TASKS`), unless the account has its own. */
  readonly maxOpenTasks: number;
  /** Maximum of webhooks that have not ended, those of open tasks included. */
  readonly maxPendingDeliveries: number;
  /** Maximum of `host:port`s that deliveries wait for; open tasks can lift it by as many as there are of them. */
  readonly maxPendingHosts: number;
  /** Maximum of tasks that fail because of their requests, unless the account has its own; null: no limit. */
  readonly maxFailedTasks: Rate | null;
}

/** Dependencies and limits of inserting; `deadlineMs` is counted from the submit. */
export interface InsertDeps extends DefaultLimits {
  readonly db: Pick<Database, 'run'>;
  readonly deadlineMs: number;
}

/** Fields that only the facade gives. */
const FACADE_FIELDS = { mask: 'text', wishes: 'jsonb', shape_ratios: 'text[]' } as const;
const FIELDS = [...TASK_FIELD_NAMES, ...Object.keys(FACADE_FIELDS)].join(', ');
const FIELD_TYPES = [
  ...TASK_FIELD_NAMES.map((name) => `${name} ${TASK_FIELDS[name].sqlType}`),
  ...Object.entries(FACADE_FIELDS).map(([name, type]) => `${name} ${type}`),
].join(', ');

/** Minor number of the first release whose submits the database takes. */
const ACCEPTED_BY = 4;

/**
 * Holds and inserts many tasks in one statement. Each account is locked once, in the order of ids. Its requests are
 * accepted in order while balance, open tasks and webhooks stay within their limits; requests that could never fit are
 * excluded first. The caller learns for each row the time of its insertion, if any, and whether its account could be
 * locked at all.
 * The account is updated beside the insert, never after it: measured two to three times faster on a hot account. A
 * taken idempotency key fails the whole statement, holds included; so does an equal request of a key whose equal requests share a task.
 * Nothing is counted from other tables, because the lock refreshes the account's row, not the snapshot. The counter
 * `ended` only rises meanwhile: an old value refuses a webhook too early, never too late. The number of hosts may be
 * behind by those of open tasks. That of failed tasks may be behind by those that end during the wait for the lock.
 * Caps of a key are exact: what its tasks hold and have cost changes under the lock of the account alone. After that
 * lock, `sum_key_spend` and `sum_value_spend` read it in a snapshot of their own.
 * A price of a catalog version that was replaced seconds ago is refused: each process follows within that time.
 */
const insertTasks = (locking: string): string => `
WITH ${inputRows(
  `id text, account text, hold int8, max_open_tasks int, webhooks int, hosts int, max_failed_tasks int, failed_tasks_seconds int, host text, deadline float8, key text, request text, type text, ${FIELD_TYPES}, unit int8, catalog int, newest int, idem text, fingerprint text, added text, waiter text, process text, equals text, equals_added text, retries int, sole bool, trace text, cap_key text, cap_value text`,
)},
locked AS MATERIALIZED (
  SELECT id, balance_micros - held_micros AS free, open_count, max_open_tasks, webhook_count, max_failed_tasks, failed_tasks_seconds
    FROM accounts
   WHERE id = ANY (ARRAY(SELECT account FROM input)) AND status = 'active' ORDER BY id FOR NO KEY UPDATE ${locking}),
barred AS MATERIALIZED (
  SELECT l.id FROM locked l JOIN (SELECT account, min(max_failed_tasks) AS max_failed_tasks, min(failed_tasks_seconds) AS seconds FROM input GROUP BY account) i ON i.account = l.id
   WHERE ${failedTasksTotal('l.id')} - ${failedTasksBefore('l.id', 'COALESCE(l.failed_tasks_seconds, i.seconds)')}
         >= COALESCE(l.max_failed_tasks, i.max_failed_tasks)),
capped AS MATERIALIZED (
  SELECT k.id, COALESCE(k.family, k.id) AS family, LEAST(k.cap_day_micros - s.day_micros, k.cap_month_micros - s.month_micros, k.cap_total_micros - s.total_micros) AS room
    FROM locked l JOIN api_keys k ON k.account_id = l.id AND k.id = ANY (ARRAY(SELECT key FROM input))
   CROSS JOIN LATERAL sum_key_spend(l.id, k.id, k.cap_total_micros IS NOT NULL) s
   WHERE COALESCE(k.cap_day_micros, k.cap_month_micros, k.cap_total_micros) IS NOT NULL),
valued AS MATERIALIZED (
  SELECT k.id AS key, v.cap_value, k.cap_per_micros - sum_value_spend(l.id, k.id, decode(v.cap_value, 'hex')) AS room
    FROM (SELECT DISTINCT account, key, cap_key, cap_value FROM input WHERE cap_value IS NOT NULL) v
    JOIN locked l ON l.id = v.account
    JOIN api_keys k ON k.id = v.key AND k.account_id = l.id AND k.cap_per_key = v.cap_key AND k.id = ANY (ARRAY(SELECT key FROM input))),
affordable AS (
  SELECT i.*, l.free, l.open_count, COALESCE(l.max_open_tasks, i.max_open_tasks) AS open_limit,
         COALESCE(k.family, i.key) AS family, k.room, v.room AS value_room,
         sum(i.hold) OVER (PARTITION BY i.account, COALESCE(k.family, i.key), i.cap_value ORDER BY i.place) AS value_total,
         l.webhook_count + count(i.webhook_url) OVER (PARTITION BY i.account ORDER BY i.place) AS webhook_count
    FROM input i JOIN locked l ON l.id = i.account LEFT JOIN capped k ON k.id = i.key
    LEFT JOIN valued v ON v.key = i.key AND v.cap_value = i.cap_value
   WHERE i.hold <= l.free AND i.hold <= COALESCE(k.room, i.hold) AND i.hold <= COALESCE(v.room, i.hold)
     AND NOT EXISTS (SELECT FROM barred b WHERE b.id = i.account)
     AND NOT EXISTS (SELECT FROM catalog_versions v WHERE v.id = i.newest + 1 AND v.created_at < now() - interval '4 seconds')),
within AS (
  SELECT i.*, sum(i.hold) OVER (PARTITION BY i.account, i.family ORDER BY i.place) AS key_total FROM affordable i
   WHERE i.value_total <= COALESCE(i.value_room, i.value_total)),
fitting AS (
  SELECT i.*, sum(i.hold) OVER turns AS total, row_number() OVER turns AS turn FROM within i
   WHERE i.key_total <= COALESCE(i.room, i.key_total)
     AND (i.webhook_url IS NULL
          OR i.webhook_count - COALESCE((SELECT b.ended FROM webhook_backlogs b WHERE b.account_id = i.account), 0) <= i.webhooks
             AND (COALESCE((SELECT b.hosts FROM webhook_backlogs b WHERE b.account_id = i.account), 0) < i.hosts
                  OR (SELECT h.pending FROM webhook_hosts h WHERE h.account_id = i.account AND h.host_port = i.host) IS NOT NULL))
  WINDOW turns AS (PARTITION BY i.account ORDER BY i.place)),
taken AS (SELECT * FROM fitting WHERE total <= free AND open_count + turn <= open_limit),
held AS (
  UPDATE accounts c SET held_micros = c.held_micros + t.hold, task_count = c.task_count + t.tasks,
                        open_count = c.open_count + t.tasks
    FROM (SELECT account, sum(hold)::int8 AS hold, count(*)::int AS tasks FROM taken GROUP BY account) t
   WHERE c.id = t.account AND c.id = ANY (ARRAY(SELECT account FROM taken))),
inserted AS (
  INSERT INTO tasks (id, account_id, api_key_id, request_id, type, ${FIELDS}, unit_micros, hold_micros, catalog_version, accepted_by, idem_key,
                     idem_fingerprint, idem_added, traceparent, cap_value, deadline_at)
  SELECT id, account, key, request, type, ${FIELDS}, unit, hold, catalog, ${ACCEPTED_BY}, idem, decode(fingerprint, 'hex'), decode(added, 'hex'), trace, decode(cap_value, 'hex'),
         now() + make_interval(secs => deadline / 1000)
    FROM taken
  RETURNING id, created_at),
waiting AS (
  INSERT INTO facade_requests (task_id, account_id, api_key_id, fingerprint, added, request_id, process_id, retry_count, is_sole)
  SELECT id, account, key, decode(equals, 'hex'), decode(equals_added, 'hex'), waiter, process, retries, sole FROM taken WHERE waiter IS NOT NULL)
SELECT n.created_at AS "createdAt", (t.open_count + t.turn)::int AS "openCount", l.id IS NOT NULL AS locked, i.place
  FROM input i LEFT JOIN inserted n ON n.id = i.id LEFT JOIN taken t ON t.id = i.id LEFT JOIN locked l ON l.id = i.account`;

const INSERT_TASKS: Statement = {
  name: 'insert-tasks',
  text: insertTasks('SKIP LOCKED'),
  batch: { waitingText: insertTasks('') },
};

interface Outcome {
  /** Null when the task was not inserted. */
  readonly createdAt: InsertedTask['createdAt'] | null;
  readonly openCount: InsertedTask['openCount'] | null;
}

/** Makes the function that inserts tasks; those that come at the same time share a statement. */
export function createTaskInserter({ db, ...limits }: InsertDeps): InsertTask {
  const namesUnderWay = new Map<string, ReturnType<InsertTask>>();

  const insert: InsertTask = async (task) => {
    try {
      const [outcome] = await db.run<Outcome>(INSERT_TASKS, [toRow(task, limits)]);
      if (!outcome) {
        throw new Error(`the statement said nothing about the task ${task.id}`);
      }
      const { createdAt, openCount } = outcome;
      return createdAt === null ? null : { createdAt, openCount: openCount ?? 1 };
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
    const earlier = namesUnderWay.get(name) ?? Promise.resolve(null);
    const turn = earlier.then((result) => (result === null ? insert(task) : taken));
    const settled = turn.catch(() => null);
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
  const { request } = task;
  return {
    id: task.id,
    account: task.accountId,
    hold: String(getHoldMicros(request, task.price)),
    max_open_tasks: limits.maxOpenTasks,
    webhooks: limits.maxPendingDeliveries,
    hosts: limits.maxPendingHosts,
    max_failed_tasks: limits.maxFailedTasks?.limit,
    failed_tasks_seconds: limits.maxFailedTasks?.windowSeconds,
    deadline: limits.deadlineMs,
    key: task.apiKeyId,
    request: task.requestId,
    type: getTaskType(request),
    ...request,
    image_urls: request.image_urls ?? [],
    quality: task.price.quality,
    host: request.webhook_url === undefined ? null : getHostPort(new URL(request.webhook_url)),
    unit: String(task.price.unitMicros),
    catalog: task.price.catalogVersion,
    newest: task.price.newestVersion,
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
    cap_key: task.capValue?.key,
    cap_value: task.capValue?.hash,
  };
}
