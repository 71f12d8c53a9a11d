import type { TaskStatus, TaskType } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { TaskRow } from './task-row.js';

/** Which tasks of an account; what is absent does not matter. */
export interface TaskFilter {
  readonly status?: TaskStatus;
  readonly model?: string;
  readonly type?: TaskType;
  /** Exclusive. */
  readonly createdAfter?: Date;
  /** Exclusive. */
  readonly createdBefore?: Date;
}

/** What a list tells of a task. */
export type ListedTask = Pick<
  TaskRow,
  | 'id'
  | 'status'
  | 'model'
  | 'type'
  | 'prompt'
  | 'numOutputs'
  | 'costMicros'
  | 'error'
  | 'createdAt'
  | 'startedAt'
  | 'completedAt'
  | 'outputKeys'
>;

/** A part of a list and how long the whole of it is. */
export interface Slice<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

// No more than pages show: reading every column of twenty tasks costs both sides more than the rest of the statement.
const LISTED_COLUMNS = `
    t.id, t.status, t.model, t.type, t.prompt, t.num_outputs AS "numOutputs", t.cost_micros AS "costMicros", t.error,
    t.created_at AS "createdAt", t.started_at AS "startedAt", t.completed_at AS "completedAt",
    ARRAY(SELECT o.key FROM task_outputs o WHERE o.task_id = t.id ORDER BY o.index) AS "outputKeys"`;

// One statement for page and total, so that they fit together. The page is cut off when it lies beyond the total: a far
// page costs no walk through the index.
const LIST_TASKS: Statement = {
  name: 'list-tasks',
  text: `
SELECT a.task_count AS total, page.*
  FROM accounts a LEFT JOIN LATERAL (
    SELECT ${LISTED_COLUMNS} FROM tasks t WHERE t.account_id = a.id ORDER BY t.created_at DESC, t.id DESC
     LIMIT CASE WHEN $3::int8 < a.task_count THEN $2::int8 ELSE 0 END OFFSET $3::int8) page ON true
 WHERE a.id = $1`,
};

const WANTED = `
t.account_id = $1 AND ($4::text IS NULL OR t.status = $4) AND ($5::text IS NULL OR t.model = $5)
AND ($6::text IS NULL OR t.type = $6) AND t.created_at > COALESCE($7::timestamptz, '-infinity')
AND t.created_at < COALESCE($8::timestamptz, 'infinity')`;

const LIST_TASKS_FILTERED: Statement = {
  name: 'list-tasks-filtered',
  text: `
SELECT a.total, page.*
  FROM (SELECT count(*) AS total FROM tasks t WHERE ${WANTED}) a LEFT JOIN LATERAL (
    SELECT ${LISTED_COLUMNS} FROM tasks t WHERE ${WANTED} ORDER BY t.created_at DESC, t.id DESC
     LIMIT CASE WHEN $3::int8 < a.total THEN $2::int8 ELSE 0 END OFFSET $3::int8) page ON true`,
};

/** Lists tasks of an account, newest first; without a filter the total comes from the account's counter. */
export async function listTasks(
  db: Pick<Database, 'run'>,
  accountId: string,
  filter: TaskFilter,
  page: { readonly limit: number; readonly offset: bigint },
): Promise<Slice<ListedTask>> {
  const { status, model, type, createdAfter, createdBefore } = filter;
  const wanted = [status, model, type, createdAfter, createdBefore];
  const values = [accountId, page.limit, page.offset];
  const rows = wanted.every((value) => value === undefined)
    ? await db.run<Listed>(LIST_TASKS, values)
    : await db.run<Listed>(LIST_TASKS_FILTERED, [...values, ...wanted.map((value) => value ?? null)]);
  return { rows: rows.filter(isTask), total: Number(rows[0]?.total ?? 0n) };
}

type Listed = { readonly total: bigint } & (ListedTask | { readonly id: null });

function isTask(row: Listed): row is { readonly total: bigint } & ListedTask {
  return row.id !== null;
}
