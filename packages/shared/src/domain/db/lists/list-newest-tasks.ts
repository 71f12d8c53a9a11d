import type { TaskView } from '../../presenters/index.js';
import type { Database } from '../create-database.js';
import { inputRows, isInput, type Statement } from '../statement.js';
import { NOT_DELETED } from '../tasks/task-row.js';
import { FIRST_ROWS } from './build-list-statement.js';

/** Page of an unfiltered list: the ids of its tasks, newest first, and those of them that are pending. */
export interface NewestTasks {
  readonly total: number;
  readonly ids: readonly string[];
  readonly pending: ReadonlyMap<string, TaskView>;
}

// Finished tasks never change, so a page needs no more of them than their ids where they are cached. One row a page: rows of a
// shared statement cost both sides more than what is in them. Callers of one moment share the statement.
const LIST_NEWEST_TASKS: Statement = {
  name: 'list-newest-tasks',
  text: `
WITH ${inputRows('account text, most int8, start int8')}
SELECT i.place, a.task_count - a.erased_count AS total, a.erased_count > ${FIRST_ROWS} AS "isThin", page.ids, page.pending
  FROM input i JOIN accounts a ON ${isInput('a.id', 'account')}
  LEFT JOIN LATERAL (
    SELECT string_agg(n.id, ' ' ORDER BY n.created_at DESC, n.id DESC) AS ids,
           json_agg(json_build_array(n.id, n.model, n.type, n.created_at, n.started_at, n.metadata))
             FILTER (WHERE n.status = 'pending') AS pending
      FROM (SELECT t.id, t.status, t.model, t.type, t.created_at, t.started_at, t.metadata FROM tasks t
             WHERE t.account_id = a.id AND ${NOT_DELETED} ORDER BY t.created_at DESC, t.id DESC
             LIMIT CASE WHEN a.erased_count <= ${FIRST_ROWS} THEN i.most ELSE 0 END OFFSET i.start) n) page ON true`,
  batch: {},
};

interface Row {
  readonly total: bigint;
  readonly isThin: boolean;
  readonly ids: string | null;
  readonly pending: readonly PendingTask[] | null;
}

type PendingTask = readonly [
  id: string,
  model: string,
  type: TaskView['type'],
  createdAt: string,
  startedAt: string | null,
  metadata: TaskView['metadata'],
];

/** Lists the newest tasks of an account. Null where a page is too far, or many tasks were deleted: `listTasks` finds those. */
export async function listNewestTasks(
  db: Pick<Database, 'run'>,
  accountId: string,
  page: { readonly limit: number; readonly offset: bigint },
): Promise<NewestTasks | null> {
  if (page.offset >= FIRST_ROWS) {
    return null;
  }
  const input = { account: accountId, most: page.limit, start: page.offset };
  const [row] = await db.run<Row>(LIST_NEWEST_TASKS, [input]);
  if (row?.isThin) {
    return null;
  }
  return {
    total: Number(row?.total ?? 0n),
    ids: row?.ids?.split(' ') ?? [],
    pending: new Map(row?.pending?.map((task) => [task[0], toView(task)])),
  };
}

function toView([id, model, type, createdAt, startedAt, metadata]: PendingTask): TaskView {
  return {
    id,
    status: 'pending',
    model,
    type,
    costMicros: 0n,
    error: null,
    outputKeys: [],
    createdAt: new Date(createdAt),
    startedAt: startedAt === null ? null : new Date(startedAt),
    completedAt: null,
    metadata,
  };
}
