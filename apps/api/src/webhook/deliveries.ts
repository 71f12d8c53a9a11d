import {
  type AccountReads,
  buildListStatement,
  findTask,
  type Slice,
  unplanned,
  type WebhookAttempt,
  type WebhookDelivery,
} from '@image-gateway/shared/db';
import type { PrismaDatabase } from '@image-gateway/shared/db/prisma';
import { notFound } from '@image-gateway/shared/errors';
import type { DeliveryItem } from '@image-gateway/shared/webhook/schema';

/** Columns of the progress of a delivery. */
export type DeliveryProgress = Readonly<
  Pick<WebhookDelivery, 'state' | 'attempt' | 'lastStatus' | 'lastError' | 'nextAttemptAt' | 'deliveredAt'>
>;

/** Presents the progress of a delivery, for owners and operators. */
export function presentProgress(delivery: DeliveryProgress) {
  return {
    state: delivery.state,
    attempt: delivery.attempt,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    delivered_at: delivery.deliveredAt?.toISOString() ?? null,
  };
}

/** Columns of a delivery that operators see. */
export type DeliveryRow = DeliveryProgress & Readonly<Pick<WebhookDelivery, 'id' | 'hostPort'>>;

/** Presents a delivery to an operator with the host only: paths and queries may hold secrets of the customer. */
export function presentDelivery(delivery: DeliveryRow) {
  return { id: delivery.id, ...presentProgress(delivery), host: delivery.hostPort };
}

/** Lists the webhooks of a task: none, or one after it has ended. Throws AppError `NOT_FOUND`. */
export async function listTaskWebhooks(db: PrismaDatabase, taskId: string) {
  const deliveries = await db.prisma.webhookDelivery.findMany({ where: { taskId } });
  if (deliveries.length === 0 && !(await findTask(db, taskId))) {
    throw notFound('task', taskId);
  }
  return deliveries.map(presentDelivery);
}

/** Row of a delivery with the rows of its attempts. */
export interface DeliveryWithAttempts
  extends DeliveryProgress,
    Readonly<Pick<WebhookDelivery, 'id' | 'taskId' | 'url' | 'createdAt'>> {
  readonly attempts: readonly Readonly<Pick<WebhookAttempt, 'attempt' | 'status' | 'error' | 'endedAt'>>[];
}

/** Presents a delivery to the owner of its account, with the whole URL. */
export function presentDeliveryItem(delivery: DeliveryWithAttempts): DeliveryItem {
  return {
    id: delivery.id,
    task_id: delivery.taskId,
    url: delivery.url,
    ...presentProgress(delivery),
    state: delivery.state as DeliveryItem['state'],
    created_at: delivery.createdAt.toISOString(),
    attempts: delivery.attempts.map(({ attempt, status, error, endedAt }) => ({
      attempt,
      status,
      error,
      ended_at: endedAt.toISOString(),
    })),
  };
}

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
