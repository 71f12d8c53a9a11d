import type { Metadata, TaskStatus, TaskType } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import { buildListStatement, FIRST_ROWS } from '../lists/build-list-statement.js';
import { type Statement, unplanned } from '../statement.js';
import { NOT_DELETED, SHOWN_COLUMNS, type ShownColumns, type TaskRow } from './task-row.js';

/** Which tasks of an account; what is absent does not matter. */
export interface TaskFilter {
  readonly status?: TaskStatus;
  readonly model?: string;
  readonly type?: TaskType;
  /** Exclusive. */
  readonly createdAfter?: Date;
  /** Exclusive. */
  readonly createdBefore?: Date;
  /** Entries that a task has. */
  readonly metadata?: Metadata;
}

/** Task as a list shows it. */
export type ListedTask = ShownColumns & Pick<TaskRow, 'prompt' | 'numOutputs'>;

/** A part of a list and how long the whole of it is. */
export interface Slice<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

// No more than pages show: reading every column of twenty tasks costs both sides more than the rest of the statement.
const LISTED_COLUMNS = `${SHOWN_COLUMNS}, t.prompt, t.num_outputs AS "numOutputs"`;

// One statement for page and total, so that they fit together. The page is cut off when it lies beyond the total. Where many tasks
// were deleted, the counters find the rows between them.
const LIST_FIRST_TASKS: Statement = {
  name: 'list-first-tasks',
  text: `
SELECT a.task_count - a.erased_count AS total, a.erased_count > ${FIRST_ROWS} AS "isThin", page.*
  FROM accounts a LEFT JOIN LATERAL (
    SELECT ${LISTED_COLUMNS} FROM tasks t WHERE t.account_id = a.id AND ${NOT_DELETED} ORDER BY t.created_at DESC, t.id DESC
     LIMIT CASE WHEN $3::int8 < a.task_count - a.erased_count AND a.erased_count <= ${FIRST_ROWS} THEN $2::int8 ELSE 0 END
     OFFSET ${unplanned('$3::int8')}) page ON true
 WHERE a.id = $1`,
};

const LIST_TASKS: Statement = buildListStatement({
  name: 'list-tasks',
  rows: 'tasks',
  counts: 'task_counts',
  counted: `
COALESCE(sum(CASE $4::text WHEN 'completed' THEN c.completed WHEN 'failed' THEN c.failed
                           WHEN 'pending' THEN c.tasks - c.completed - c.failed ELSE c.tasks END)
  FILTER (WHERE ($5::text IS NULL OR c.model = $5) AND ($6::text IS NULL OR c.type = $6)), 0)`,
  // Counters know no metadata.
  isExact: '$9::jsonb IS NULL',
  wanted: `
${NOT_DELETED} AND ($4::text IS NULL OR t.status = ${unplanned('$4::text')})
  AND ($5::text IS NULL OR t.model = $5) AND ($6::text IS NULL OR t.type = $6) AND ($9::jsonb IS NULL OR t.metadata @> $9)`,
  // Both times are exclusive, and those of tasks are whole milliseconds.
  from: `COALESCE(date_trunc('milliseconds', $7::timestamptz) + interval '1 millisecond', '-infinity')`,
  to: `COALESCE($8::timestamptz, 'infinity')`,
  columns: LISTED_COLUMNS,
  narrowBy: 'created_after and created_before',
});

/**
 * Lists tasks of an account, newest first. First pages without a filter cost one walk over their rows, all others one over the
 * counters too.
 */
export async function listTasks(
  db: Pick<Database, 'run'>,
  accountId: string,
  filter: TaskFilter,
  page: { readonly limit: number; readonly offset: bigint },
): Promise<Slice<ListedTask>> {
  const { status, model, type, createdAfter, createdBefore, metadata } = filter;
  const wanted = [status, model, type, createdAfter, createdBefore, metadata].map((value) => value ?? null);
  const values = [accountId, page.limit, page.offset];
  const isFirst = page.offset < FIRST_ROWS && wanted.every((value) => value === null);
  let rows = isFirst ? await db.run<Listed>(LIST_FIRST_TASKS, values) : [];
  if (!isFirst || rows[0]?.isThin) {
    rows = await db.run<Listed>(LIST_TASKS, [...values, ...wanted]);
  }
  return { rows: rows.filter(isTask), total: Number(rows[0]?.total ?? 0n) };
}

type Listed = { readonly total: bigint; readonly isThin?: boolean } & (ListedTask | { readonly id: null });

function isTask(row: Listed): row is { readonly total: bigint } & ListedTask {
  return row.id !== null;
}
