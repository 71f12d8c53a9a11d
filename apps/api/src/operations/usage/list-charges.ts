import type { Database, LedgerTransfer, Statement, UsageRecord } from '@image-gateway/shared/db';
import type { UsageSpan } from './find-usage.js';

/** Charge or refund of a task in the ledger. */
export interface Charge
  extends Readonly<
    Pick<LedgerTransfer, 'id' | 'createdAt' | 'amountMicros'> &
      Pick<UsageRecord, 'taskId' | 'model' | 'type' | 'units' | 'apiKeyId'>
  > {
  readonly kind: 'capture' | 'refund';
}

const LIST_CHARGES: Statement = {
  name: 'dashboard-list-charges',
  text: `
SELECT l.id, l.created_at AS "createdAt", l.kind, l.task_id AS "taskId", u.model, u.type, u.units,
       u.api_key_id AS "apiKeyId", l.amount_micros AS "amountMicros"
  FROM ledger_transfers l JOIN usage_records u ON u.task_id = l.task_id
 WHERE l.account_id = $1 AND l.kind IN ('capture', 'refund')
   AND l.created_at >= $2::date::timestamp AT TIME ZONE 'UTC'
   AND l.created_at < ($3::date + 1)::timestamp AT TIME ZONE 'UTC' AND ($4::text IS NULL OR u.model = $4)
   AND ($8::text IS NULL OR u.api_key_id = $8)
   AND (l.created_at, l.id) > ($5::timestamptz, $6::text)
 ORDER BY l.created_at, l.id LIMIT $7::int`,
};
const PAGE_SIZE = 1_000;

/** Yields all charges and refunds of a range of days, oldest first, a thousand at a time. */
export async function* listCharges(
  db: Pick<Database, 'run'>,
  accountId: string,
  { from, to, model, apiKeyId }: UsageSpan,
): AsyncGenerator<readonly Charge[]> {
  let last: { readonly createdAt: Date; readonly id: string } = { createdAt: new Date(0), id: '' };
  for (;;) {
    const values = [accountId, from, to, model, last.createdAt, last.id, PAGE_SIZE, apiKeyId];
    const rows = await db.run<Charge>(LIST_CHARGES, values);
    if (rows.length > 0) {
      yield rows;
    }
    const end = rows.at(-1);
    if (!end || rows.length < PAGE_SIZE) {
      return;
    }
    last = end;
  }
}
