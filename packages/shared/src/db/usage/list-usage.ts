import type { TaskType } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { Slice } from '../tasks/list-tasks.js';
import type { UsageRowFilter } from './usage-filter.js';

/** A row of `usage_records`. Money in micro-dollars. */
export interface UsageRow {
  readonly id: string;
  readonly taskId: string;
  readonly model: string;
  readonly type: TaskType;
  readonly units: number;
  readonly costMicros: bigint;
  readonly createdAt: Date;
}

const COLUMNS = `
u.id, u.task_id AS "taskId", u.model, u.type, u.units, u.cost_micros AS "costMicros", u.created_at AS "createdAt"`;

const LIST_USAGE: Statement = {
  name: 'list-usage',
  text: `
SELECT a.usage_count AS total, page.*
  FROM accounts a LEFT JOIN LATERAL (
    SELECT ${COLUMNS} FROM usage_records u WHERE u.account_id = a.id ORDER BY u.created_at DESC, u.id DESC
     LIMIT CASE WHEN $3::int8 < a.usage_count THEN $2::int8 ELSE 0 END OFFSET $3::int8) page ON true
 WHERE a.id = $1`,
};

const WANTED = `
u.account_id = $1 AND ($4::text IS NULL OR u.model = $4) AND ($5::text IS NULL OR u.api_key_id = $5)
AND u.created_at >= COALESCE($6::timestamptz, '-infinity') AND u.created_at < COALESCE($7::timestamptz, 'infinity')`;

const LIST_USAGE_FILTERED: Statement = {
  name: 'list-usage-filtered',
  text: `
SELECT a.total, page.*
  FROM (SELECT count(*) AS total FROM usage_records u WHERE ${WANTED}) a LEFT JOIN LATERAL (
    SELECT ${COLUMNS} FROM usage_records u WHERE ${WANTED} ORDER BY u.created_at DESC, u.id DESC
     LIMIT CASE WHEN $3::int8 < a.total THEN $2::int8 ELSE 0 END OFFSET $3::int8) page ON true`,
};

/** Lists usage records of an account, newest first; without a filter the total comes from the account's counter. */
export async function listUsage(
  db: Pick<Database, 'run'>,
  accountId: string,
  filter: UsageRowFilter,
  page: { readonly limit: number; readonly offset: bigint },
): Promise<Slice<UsageRow>> {
  const wanted = [filter.model, filter.apiKeyId, filter.from, filter.to];
  const values = [accountId, page.limit, page.offset];
  const rows = wanted.every((value) => value === undefined)
    ? await db.run<Listed>(LIST_USAGE, values)
    : await db.run<Listed>(LIST_USAGE_FILTERED, [...values, ...wanted.map((value) => value ?? null)]);
  return { rows: rows.filter(isUsage), total: Number(rows[0]?.total ?? 0n) };
}

type Listed = { readonly total: bigint } & (UsageRow | { readonly id: null });

function isUsage(row: Listed): row is { readonly total: bigint } & UsageRow {
  return row.id !== null;
}
