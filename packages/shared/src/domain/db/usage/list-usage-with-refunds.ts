import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { Slice } from '../tasks/list-tasks.js';
import { listUsage, type UsageRow } from './list-usage.js';
import type { UsageRowFilter } from './usage-filter.js';

const WANTED = '($4::text IS NULL OR u.model = $4) AND ($5::text IS NULL OR u.api_key_id = $5)';
const REFUNDS = `
ledger_transfers l JOIN usage_records u ON u.task_id = l.task_id
 WHERE l.account_id = $1 AND l.kind = 'refund' AND l.created_at >= s.lo AND l.created_at < s.hi AND ${WANTED}`;

const LIST_WITH_REFUNDS: Statement = {
  name: 'list-usage-with-refunds',
  text: `
WITH s AS (SELECT COALESCE($6::timestamptz, '-infinity') AS lo, COALESCE($7::timestamptz, 'infinity') AS hi),
page AS (
  SELECT * FROM (
    (SELECT u.id, u.task_id AS "taskId", u.model, u.type, u.units, u.cost_micros AS "costMicros", u.created_at AS "createdAt"
       FROM s, usage_records u
      WHERE u.account_id = $1 AND u.created_at >= s.lo AND u.created_at < s.hi AND ${WANTED}
      ORDER BY u.created_at DESC, u.id DESC LIMIT $2::int8 + $3::int8)
    UNION ALL
    (SELECT l.id, l.task_id, u.model, 'refund', 0, -l.amount_micros, l.created_at FROM s, ${REFUNDS}
      ORDER BY l.created_at DESC, l.id DESC LIMIT $2::int8 + $3::int8)) both_kinds
  ORDER BY "createdAt" DESC, id DESC LIMIT $2::int8 OFFSET $3::int8)
SELECT refunds.total, page.* FROM (SELECT count(*) AS total FROM s, ${REFUNDS}) refunds LEFT JOIN page ON true
 ORDER BY page."createdAt" DESC, page.id DESC`,
};

type Listed = { readonly total: bigint } & (UsageRow | { readonly id: null });

/**
 * Lists usage records and refunds of an account, newest first. A page costs as many rows as there are before it, so late
 * pages of long lists end in `SERVICE_UNAVAILABLE`; files have no pages.
 */
export async function listUsageWithRefunds(
  db: Pick<Database, 'run'>,
  accountId: string,
  filter: UsageRowFilter,
  page: { readonly limit: number; readonly offset: bigint },
): Promise<Slice<UsageRow>> {
  const wanted = [filter.model, filter.apiKeyId, filter.from, filter.to].map((value) => value ?? null);
  const rows = await db.run<Listed>(LIST_WITH_REFUNDS, [accountId, page.limit, page.offset, ...wanted]);
  const { total } = await listUsage(db, accountId, filter, { limit: 0, offset: 0n });
  return { rows: rows.filter(isUsage), total: total + Number(rows[0]?.total ?? 0n) };
}

function isUsage(row: Listed): row is { readonly total: bigint } & UsageRow {
  return row.id !== null;
}
