import type { DeliveryItem } from '@image-gateway/shared/contract';
import { type AccountReads, buildListStatement, type Slice, unplanned } from '@image-gateway/shared/db';
import { type DeliveryWithAttempts, presentDeliveryItem } from './present-delivery-item.js';

// The counters have no numbers of pending and sending deliveries: their buckets are read, and these are few.
const LIST_DELIVERIES = buildListStatement({
  name: 'dashboard-list-deliveries',
  rows: 'webhook_deliveries',
  counts: 'delivery_counts',
  counted: `
sum(CASE $4::text WHEN 'delivered' THEN c.delivered WHEN 'failed' THEN c.failed
                  WHEN 'pending' THEN c.deliveries - c.delivered - c.failed
                  WHEN 'sending' THEN c.deliveries - c.delivered - c.failed ELSE c.deliveries END)`,
  isExact: `COALESCE($4::text NOT IN ('pending', 'sending'), true)`,
  wanted: `($4::text IS NULL OR t.state = ${unplanned('$4::text')})`,
  from: `'-infinity'::timestamptz`,
  to: `'infinity'::timestamptz`,
  columns: `
t.id, t.task_id AS "taskId", t.url, t.state, t.attempt, t.last_status AS "lastStatus", t.last_error AS "lastError",
t.next_attempt_at AS "nextAttemptAt", t.delivered_at AS "deliveredAt", t.created_at AS "createdAt",
COALESCE((SELECT json_agg(json_build_object('attempt', x.attempt, 'status', x.status, 'error', x.error, 'endedAt', x.ended_at)
                          ORDER BY x.attempt DESC) FROM webhook_attempts x WHERE x.delivery_id = t.id), '[]') AS attempts`,
});

type Attempt = Omit<DeliveryWithAttempts['attempts'][number], 'endedAt'> & { readonly endedAt: string };
type Delivery = Omit<DeliveryWithAttempts, 'attempts'> & { readonly attempts: readonly Attempt[] };
type Listed = { readonly total: bigint } & (Delivery | { readonly id: null });

/** Lists the webhook deliveries of an account in one state or in all of them, newest first, each with its attempts. */
export async function listDeliveries(
  db: AccountReads,
  accountId: string,
  state: string | undefined,
  page: { readonly limit: number; readonly offset: bigint },
): Promise<Slice<DeliveryItem>> {
  const rows = await db.run<Listed>(LIST_DELIVERIES, [accountId, page.limit, page.offset, state ?? null]);
  const deliveries = rows.filter((row): row is { readonly total: bigint } & Delivery => row.id !== null);
  return {
    rows: deliveries.map((row) => presentDeliveryItem(parseDates(row))),
    total: Number(rows[0]?.total ?? 0n),
  };
}

function parseDates(delivery: Delivery): DeliveryWithAttempts {
  const attempts = delivery.attempts.map((attempt) => ({ ...attempt, endedAt: new Date(attempt.endedAt) }));
  return { ...delivery, attempts };
}
