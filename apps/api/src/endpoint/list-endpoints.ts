import type { Database, Endpoint, EndpointDelivery, Statement } from '@image-gateway/shared/db';
import type { EndpointItem, EventItem } from '@image-gateway/shared/endpoint/schema';
import { formatDollars } from '@image-gateway/shared/money';

interface Row
  extends Readonly<
    Pick<
      Endpoint,
      'id' | 'url' | 'types' | 'thresholdMicros' | 'failingSince' | 'disabledAt' | 'createdAt' | 'dropped'
    >
  > {
  readonly waiting: number;
  readonly lastDeliveredAt: Date | null;
}

const LIST_ENDPOINTS: Statement = {
  name: 'list-endpoints',
  text: `
SELECT e.id, e.url, e.types, e.threshold_micros AS "thresholdMicros", e.failing_since AS "failingSince", e.disabled_at AS "disabledAt",
       e.dropped, e.created_at AS "createdAt",
       (SELECT count(*) FROM endpoint_deliveries d WHERE d.endpoint_id = e.id AND d.state IN ('pending', 'sending'))::int AS waiting,
       (SELECT d.delivered_at FROM endpoint_deliveries d WHERE d.endpoint_id = e.id AND d.delivered_at IS NOT NULL
         ORDER BY d.created_at DESC LIMIT 1) AS "lastDeliveredAt"
  FROM endpoints e WHERE e.account_id IS NOT DISTINCT FROM $1::text ORDER BY e.created_at, e.id`,
};

/** Lists the endpoints of an account, or those of operators for null, in the order of their creation. */
export async function listEndpoints(
  db: Pick<Database, 'run'>,
  accountId: string | null,
): Promise<readonly EndpointItem[]> {
  const rows = await db.run<Row>(LIST_ENDPOINTS, [accountId]);
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    types: row.types,
    threshold: row.thresholdMicros === null ? null : formatDollars(row.thresholdMicros),
    waiting: row.waiting,
    dropped: Number(row.dropped),
    failing_since: row.failingSince?.toISOString() ?? null,
    last_delivered_at: row.lastDeliveredAt?.toISOString() ?? null,
    disabled_at: row.disabledAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
  }));
}

type EventRow = Readonly<
  Pick<
    EndpointDelivery,
    | 'id'
    | 'endpointId'
    | 'type'
    | 'attempt'
    | 'lastStatus'
    | 'lastError'
    | 'nextAttemptAt'
    | 'deliveredAt'
    | 'createdAt'
  >
> & { readonly url: string; readonly state: EventItem['state']; readonly attempts: EventItem['attempts'] };

/** Events on the page. */
const MAX_EVENTS = 100;

const LIST_EVENTS: Statement = {
  name: 'list-events',
  text: `
SELECT d.id, d.endpoint_id AS "endpointId", e.url, d.type, d.state, d.attempt, d.attempts, d.last_status AS "lastStatus",
  d.last_error AS "lastError",
       d.next_attempt_at AS "nextAttemptAt", d.delivered_at AS "deliveredAt", d.created_at AS "createdAt"
  FROM endpoint_deliveries d JOIN endpoints e ON e.id = d.endpoint_id
 WHERE d.account_id = $1::text OR $1::text IS NULL AND d.account_id IS NULL
 ORDER BY d.created_at DESC, d.id DESC LIMIT ${MAX_EVENTS}`,
};

/** Lists the newest events of the endpoints of an account, or of those of operators for null. */
export async function listEvents(
  db: Pick<Database, 'run'>,
  accountId: string | null,
): Promise<readonly EventItem[]> {
  const rows = await db.run<EventRow>(LIST_EVENTS, [accountId]);
  return rows.map((row) => ({
    id: row.id,
    endpoint_id: row.endpointId,
    url: row.url,
    type: row.type,
    state: row.state,
    attempt: row.attempt,
    last_status: row.lastStatus,
    last_error: row.lastError,
    next_attempt_at: row.nextAttemptAt?.toISOString() ?? null,
    delivered_at: row.deliveredAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    attempts: row.attempts
      .map((one) => ({ ...one, ended_at: new Date(one.ended_at).toISOString() }))
      .reverse(),
  }));
}
