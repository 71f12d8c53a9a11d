import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import type { Slice } from '../tasks/list-tasks.js';
import { listUsage, type UsageRow } from './list-usage.js';
import type { UsageRowFilter } from './usage-filter.js';

const LIST_REFUNDS: Statement = {
  name: 'list-refunds',
  narrowBy: 'from and to',
  text: `
WITH refunds AS MATERIALIZED (
  SELECT l.id, l.task_id AS "taskId", u.model, -l.amount_micros AS "costMicros", l.created_at AS "createdAt", t.quality, u.metadata
    FROM ledger_transfers l JOIN usage_records u ON u.task_id = l.task_id JOIN tasks t ON t.id = l.task_id
   WHERE l.account_id = $1 AND l.kind = 'refund' AND l.created_at >= COALESCE($3::timestamptz, '-infinity')
     AND l.created_at < COALESCE($4::timestamptz, 'infinity') AND ($5::text IS NULL OR u.model = $5)
     AND ($6::text IS NULL OR u.api_key_id = $6) AND ($7::jsonb IS NULL OR u.metadata @> $7))
SELECT s.total, shown.* FROM (SELECT count(*) AS total FROM refunds) s
  LEFT JOIN (SELECT * FROM refunds ORDER BY "createdAt" DESC, id DESC LIMIT $2::int8) shown ON true
 ORDER BY shown."createdAt" DESC, shown.id DESC`,
};

type Listed = { readonly total: bigint } & (
  | Pick<UsageRow, 'id' | 'taskId' | 'model' | 'costMicros' | 'createdAt' | 'quality' | 'metadata'>
  | { readonly id: null }
);

/**
 * Lists usage records and refunds of an account, newest first. Refunds are rare: all that may come before the page are read, and
 * no more usage records than the page and those refunds.
 */
export async function listUsageWithRefunds(
  db: Pick<Database, 'run'>,
  accountId: string,
  filter: UsageRowFilter,
  { limit, offset }: { readonly limit: number; readonly offset: bigint },
): Promise<Slice<UsageRow>> {
  const wanted = [filter.from, filter.to, filter.model, filter.apiKeyId, filter.metadata].map(
    (value) => value ?? null,
  );
  const listed = await db.run<Listed>(LIST_REFUNDS, [accountId, offset + BigInt(limit), ...wanted]);
  const count = listed[0]?.total ?? 0n;
  const refunds = listed.flatMap((row) => (row.id === null ? [] : [toUsageRow(row)]));
  // As many records may come before the page as refunds are not before it.
  const before = count < offset ? count : offset;
  const records = await listUsage(db, accountId, filter, {
    limit: limit + Number(before),
    offset: offset - before,
  });
  const rows = merge(records.rows, refunds).slice(Number(before), Number(before) + limit);
  return { rows, total: records.total + Number(count) };
}

function toUsageRow({
  id,
  taskId,
  model,
  costMicros,
  createdAt,
  quality,
  metadata,
}: Omit<UsageRow, 'type' | 'units'>): UsageRow {
  return { id, taskId, model, type: 'refund', units: 0, costMicros, createdAt, quality, metadata };
}

/** Merges two lists that are in the order from the newest to the oldest; at one moment records come first. */
function merge(records: readonly UsageRow[], refunds: readonly UsageRow[]): UsageRow[] {
  const merged: UsageRow[] = [];
  let next = 0;
  for (const record of records) {
    for (let refund = refunds[next]; refund && refund.createdAt > record.createdAt; refund = refunds[next]) {
      merged.push(refund);
      next++;
    }
    merged.push(record);
  }
  return [...merged, ...refunds.slice(next)];
}
