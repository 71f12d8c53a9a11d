import type { Metadata } from '@image-gateway/shared/contract';
import {
  type Database,
  type LedgerTransfer,
  type Statement,
  toTimestamp,
  type UsageRecord,
  type UsageRowFilter,
  unplanned,
} from '@image-gateway/shared/db';

/** Charge or refund of a task in the ledger; the cost of a refund is negative. */
export interface Charge
  extends Readonly<
    Pick<LedgerTransfer, 'id' | 'createdAt'> &
      Pick<UsageRecord, 'taskId' | 'model' | 'units' | 'apiKeyId' | 'costMicros'>
  > {
  readonly type: 'image_generate' | 'image_edit' | 'refund';
  readonly quality: string | null;
  readonly metadata: Metadata | null;
}

/** Place in the ledger of an account: the last transfer that was read. */
interface Cursor {
  /** ISO 8601, or `infinity`. */
  readonly time: string;
  readonly id: string;
}

// The page is a step of its own, so that a filter does not make a statement walk through all transfers.
const LIST_CHARGES: Statement = {
  name: 'list-charges',
  text: `
WITH page AS MATERIALIZED (
  SELECT l.id, l.created_at, l.kind, l.task_id, l.amount_micros FROM ledger_transfers l
   WHERE l.account_id = $1 AND l.kind IN ('capture', 'refund') AND l.created_at >= $2::timestamptz
     AND (l.created_at, l.id) < ($3::timestamptz, $4::text)
   ORDER BY l.created_at DESC, l.id DESC LIMIT ${unplanned('$5::int')})
SELECT p.id AS "transferId", CASE p.kind WHEN 'refund' THEN p.id ELSE u.id END AS id, p.created_at AS "createdAt",
       p.task_id AS "taskId", u.model, CASE p.kind WHEN 'refund' THEN 'refund' ELSE u.type END AS type,
       CASE p.kind WHEN 'refund' THEN 0 ELSE u.units END AS units, u.api_key_id AS "apiKeyId", t.quality, u.metadata,
       CASE p.kind WHEN 'refund' THEN -p.amount_micros ELSE p.amount_micros END AS "costMicros"
  FROM page p JOIN usage_records u ON u.task_id = p.task_id JOIN tasks t ON t.id = p.task_id ORDER BY p.created_at DESC, p.id DESC`,
};
const PAGE_SIZE = 1_000;

/**
 * Yields all charges and refunds of an account, newest first, from a thousand transfers at a time. Each page is a statement of
 * its own; what is charged meanwhile is not in the list.
 */
export async function* listCharges(
  db: Pick<Database, 'run'>,
  accountId: string,
  { from, to, model, apiKeyId, metadata = {} }: UsageRowFilter,
): AsyncGenerator<readonly Charge[], void> {
  const entries = Object.entries(metadata);
  const first = toTimestamp(from, '-infinity');
  let last: Cursor = { time: toTimestamp(to, 'infinity'), id: '' };
  for (;;) {
    const values = [accountId, first, last.time, last.id, PAGE_SIZE];
    const rows = await db.run<Charge & { readonly transferId: string }>(LIST_CHARGES, values);
    const wanted = rows.filter(
      (row) =>
        (model === undefined || row.model === model) &&
        (apiKeyId === undefined || row.apiKeyId === apiKeyId) &&
        entries.every(
          ([key, value]) =>
            row.metadata !== null && Object.hasOwn(row.metadata, key) && row.metadata[key] === value,
        ),
    );
    yield wanted;
    const end = rows.at(-1);
    if (!end || rows.length < PAGE_SIZE) {
      return;
    }
    last = { time: end.createdAt.toISOString(), id: end.transferId };
  }
}
