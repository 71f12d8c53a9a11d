import type { FailureClass, Metadata, TaskStatus } from '@image-gateway/shared/contract';
import {
  type Account,
  type Database,
  type Statement,
  type Task,
  toTimestamp,
} from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { formatDollars } from '@image-gateway/shared/money';
import type { LoggedTask, TaskLog } from '@image-gateway/shared/task/schema';
import { formatCursor, type ListCursor } from '@image-gateway/shared/validation';

/** Filters of the log; an absent one filters nothing. */
export interface TaskLogFilter {
  readonly accountId?: string | undefined;
  readonly apiKeyId?: string | undefined;
  readonly model?: string | undefined;
  /** Provider that was called for the task. */
  readonly provider?: string | undefined;
  readonly status?: TaskStatus | undefined;
  /** Reason of failed tasks. */
  readonly failure?: FailureClass | undefined;
  /** Request id, or the client's `Idempotency-Key`. */
  readonly request?: string | undefined;
  /** Entries that the task has; only with an account, for at most 31 days. */
  readonly metadata?: Metadata | undefined;
  /** Only tasks at this time or later. */
  readonly from?: Date | undefined;
  /** Only tasks before this time. */
  readonly to?: Date | undefined;
}

interface LogPart {
  /** The part begins after this place; absent: with the newest task. */
  readonly after?: ListCursor | undefined;
  readonly limit: number;
}

type TaskColumn =
  | 'id'
  | 'accountId'
  | 'apiKeyId'
  | 'requestId'
  | 'model'
  | 'status'
  | 'phase'
  | 'failure'
  | 'error'
  | 'numOutputs'
  | 'storedCount'
  | 'costMicros'
  | 'createdAt'
  | 'completedAt';

interface Row extends Readonly<Pick<Task, TaskColumn> & Pick<Account, 'email'>> {
  /** Of the last call. */
  readonly provider: string | null;
  readonly at: Date;
}

interface Look {
  readonly at: Date;
  readonly id: string;
  readonly looked: number;
}

/** Tasks that a part looks at, where the filters fit few of them: a part never reads more, however large the table is. */
export const MAX_LOOKED = 10_000;
/** The same where the calls of each task are looked up as well. */
export const MAX_LOOKED_BY_PROVIDER = 3_000;
/** Days that a search in metadata reads. */
const MAX_METADATA_DAYS = 31;
const DAY_MS = 86_400_000;

/** Conditions that an index serves in the order of the log; the failed tasks of all accounts have one by their end. */
const ACCESS = { account: 't.account_id = $', failed: "t.status = 'failed'", all: 'true' } as const;

/** Conditions of the other filters; `$` stands for the place of the value. */
const CONDITIONS: readonly (readonly [keyof Omit<TaskLogFilter, 'accountId'>, string])[] = [
  ['apiKeyId', 't.api_key_id = $'],
  ['model', 't.model = $'],
  ['status', 't.status = $'],
  ['failure', 't.failure = $'],
  ['request', '(t.request_id = $ OR t.idem_key = $)'],
  ['metadata', 't.metadata @> $::jsonb'],
  ['provider', 'EXISTS (SELECT FROM provider_calls c WHERE c.task_id = t.id AND c.provider = $)'],
];

/**
 * Lists tasks of all accounts part by part, the newest first: by their submit, and failed tasks of all accounts by their end. A part looks
 * at a bounded number of tasks, so it may have few items, or none, and yet a next one. It then says at how many it looked. Throws AppError
 * `BAD_REQUEST` for a search in metadata that is too wide.
 */
export async function listTaskLog(
  db: Pick<Database, 'run'>,
  { after, limit, ...given }: TaskLogFilter & LogPart,
): Promise<TaskLog> {
  const filter = bound(given);
  const { rows: list, look, values, isFiltered, by, most } = build(filter);
  const start = after ?? { time: toTimestamp(filter.to, 'infinity'), id: '' };
  const place = [start.time, start.id, toTimestamp(filter.from, '-infinity')];
  const found = await db.run<Row>(list, [...place, limit + 1, ...values.access, ...values.filters]);
  const items = found.slice(0, limit).map(presentTask);
  const last = found.length > limit ? found[limit - 1] : undefined;
  if (last) {
    return { by, items, next: toPlace(last), looked: null };
  }
  const [end] = isFiltered ? await db.run<Look>(look, [...place, most, ...values.access]) : [];
  return end && end.looked >= most
    ? { by, items, next: toPlace(end), looked: end.looked }
    : { by, items, next: null, looked: null };
}

const toPlace = ({ at, id }: Pick<Row, 'at' | 'id'>): string => formatCursor({ time: at.toISOString(), id });

/** Makes a search in metadata one of the last 31 days unless it says otherwise. */
function bound(filter: TaskLogFilter): TaskLogFilter {
  const { accountId, metadata, failure, status, to = new Date() } = filter;
  const from = filter.from ?? new Date(to.getTime() - MAX_METADATA_DAYS * DAY_MS);
  if (metadata && (accountId === undefined || to.getTime() - from.getTime() > MAX_METADATA_DAYS * DAY_MS)) {
    throw new AppError('BAD_REQUEST', {
      publicMessage: `Metadata is searched in one account, over at most ${MAX_METADATA_DAYS} days: choose the account and a span.`,
    });
  }
  return {
    ...filter,
    ...(metadata && { from }),
    ...(failure !== undefined && status === undefined && { status: 'failed' }),
  };
}

/** Builds the statements of the filters that are given: a text of its own for each set, so that its plan uses their index. */
function build({ accountId, ...filter }: TaskLogFilter) {
  const access = accountId !== undefined ? 'account' : filter.status === 'failed' ? 'failed' : 'all';
  const by = access === 'failed' ? 'ended' : 'created';
  const column = by === 'ended' ? 't.completed_at' : 't.created_at';
  const order = `${column} DESC, t.id DESC`;
  const values = { access: accountId === undefined ? [] : [accountId], filters: [] as unknown[] };
  const names: string[] = [access];
  const conditions = CONDITIONS.flatMap(([name, condition]) => {
    const value = filter[name];
    if (value === undefined || (name === 'status' && access === 'failed')) {
      return [];
    }
    names.push(name);
    values.filters.push(value);
    return [condition.replaceAll('$', `$${4 + values.access.length + values.filters.length}`)];
  });
  const looked = (columns: string, most: string): string => `
  SELECT ${columns} FROM tasks t
   WHERE ${ACCESS[access].replace('$', '$5')} AND ${column} >= $3::timestamptz AND (${column}, t.id) < ($1::timestamptz, $2::text)
   ORDER BY ${order} LIMIT ${most}`;
  const isFiltered = conditions.length > 0;
  const most = filter.provider === undefined ? MAX_LOOKED : MAX_LOOKED_BY_PROVIDER;
  const rows: Statement = {
    name: ['task-log', ...names].join('-'),
    narrowBy: 'from and to',
    text: `
SELECT t.id, t.account_id AS "accountId", a.email, t.api_key_id AS "apiKeyId", t.request_id AS "requestId", t.model, t.status, t.phase,
       t.failure, t.error, t.num_outputs AS "numOutputs", t.stored_count AS "storedCount", t.cost_micros AS "costMicros",
       t.created_at AS "createdAt", t.completed_at AS "completedAt", ${column} AS at,
       (SELECT c.provider FROM provider_calls c WHERE c.task_id = t.id ORDER BY c.created_at DESC LIMIT 1) AS provider
  FROM (SELECT * FROM (${looked(COLUMNS, isFiltered ? String(most) : '$4::int')}) t
         WHERE ${isFiltered ? conditions.join(' AND ') : 'true'} ORDER BY ${order} LIMIT $4::int) t
  JOIN accounts a ON a.id = t.account_id ORDER BY ${order}`,
  };
  const look: Statement = {
    name: ['task-log-look', access].join('-'),
    narrowBy: 'from and to',
    text: `
SELECT at, id, (count(*) OVER ())::int AS looked FROM (${looked(`${column} AS at, t.id`, '$4::int')}) t ORDER BY at, id LIMIT 1`,
  };
  return { rows, look, values, isFiltered, by, most } as const;
}

const COLUMNS = `t.id, t.account_id, t.api_key_id, t.request_id, t.idem_key, t.model, t.status, t.phase, t.failure, t.error, t.num_outputs,
         t.stored_count, t.cost_micros, t.metadata, t.created_at, t.completed_at`;

function presentTask(task: Row): LoggedTask {
  return {
    id: task.id,
    account_id: task.accountId,
    email: task.email,
    api_key_id: task.apiKeyId,
    request_id: task.requestId,
    model: task.model,
    provider: task.provider,
    status: task.status as TaskStatus,
    phase: task.phase,
    failure: task.failure,
    error: task.error,
    stored: task.storedCount,
    asked: task.numOutputs,
    cost: formatDollars(task.costMicros),
    created_at: task.createdAt.toISOString(),
    ended_at: task.completedAt?.toISOString() ?? null,
  };
}
