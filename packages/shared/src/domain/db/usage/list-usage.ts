import type { Metadata, Quality, TaskType } from '../../contract/index.js';
import type { Database } from '../create-database.js';
import type { UsageRecord } from '../generated/client.js';
import { buildListStatement, FIRST_ROWS } from '../lists/build-list-statement.js';
import { type Statement, unplanned } from '../statement.js';
import type { Slice } from '../tasks/list-tasks.js';
import type { UsageRowFilter } from './usage-filter.js';

/** A row of `usage_records`. Money in micro-dollars. */
export interface UsageRow
  extends Readonly<
    Pick<UsageRecord, 'id' | 'taskId' | 'model' | 'type' | 'units' | 'costMicros' | 'createdAt'>
  > {
  readonly type: TaskType | 'refund';
  /** Quality of the task; null at a plain price. */
  readonly quality: Quality | null;
  readonly metadata: Metadata | null;
}

const COLUMNS = `
t.id, t.task_id AS "taskId", t.model, t.type, t.units, t.cost_micros AS "costMicros", t.created_at AS "createdAt", t.metadata,
(SELECT q.quality FROM tasks q WHERE q.id = t.task_id) AS quality`;

const LIST_FIRST_USAGE: Statement = {
  name: 'list-first-usage',
  text: `
SELECT a.usage_count AS total, page.*
  FROM accounts a LEFT JOIN LATERAL (
    SELECT ${COLUMNS} FROM usage_records t WHERE t.account_id = a.id ORDER BY t.created_at DESC, t.id DESC
     LIMIT CASE WHEN $3::int8 < a.usage_count THEN $2::int8 ELSE 0 END OFFSET ${unplanned('$3::int8')}) page ON true
 WHERE a.id = $1`,
};

const LIST_USAGE: Statement = buildListStatement({
  name: 'list-usage',
  rows: 'usage_records',
  counts: 'usage_counts',
  counted: `
COALESCE(sum(c.records) FILTER (WHERE ($4::text IS NULL OR c.model = $4) AND ($5::text IS NULL OR c.api_key_id = $5)), 0)`,
  // Counters know no metadata.
  isExact: '$8::jsonb IS NULL',
  wanted:
    '($4::text IS NULL OR t.model = $4) AND ($5::text IS NULL OR t.api_key_id = $5) AND ($8::jsonb IS NULL OR t.metadata @> $8)',
  from: `COALESCE($6::timestamptz, '-infinity')`,
  to: `COALESCE($7::timestamptz, 'infinity')`,
  columns: COLUMNS,
  narrowBy: 'from and to',
});

/**
 * Lists usage records of an account, newest first. First pages without a filter cost one walk over their rows, all others one
 * over the counters too.
 */
export async function listUsage(
  db: Pick<Database, 'run'>,
  accountId: string,
  filter: UsageRowFilter,
  page: { readonly limit: number; readonly offset: bigint },
): Promise<Slice<UsageRow>> {
  const wanted = [filter.model, filter.apiKeyId, filter.from, filter.to, filter.metadata].map(
    (value) => value ?? null,
  );
  const values = [accountId, page.limit, page.offset];
  const rows =
    page.offset < FIRST_ROWS && wanted.every((value) => value === null)
      ? await db.run<Listed>(LIST_FIRST_USAGE, values)
      : await db.run<Listed>(LIST_USAGE, [...values, ...wanted]);
  return { rows: rows.filter(isUsage), total: Number(rows[0]?.total ?? 0n) };
}

type Listed = { readonly total: bigint } & (UsageRow | { readonly id: null });

function isUsage(row: Listed): row is { readonly total: bigint } & UsageRow {
  return row.id !== null;
}
