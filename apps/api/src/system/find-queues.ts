import { BY_TIME, type Database, type Statement } from '@image-gateway/shared/db';
import type { QueueInspector } from '@image-gateway/shared/queues';
import type { QueueItem } from '@image-gateway/shared/system/schema';

interface Row {
  readonly name: 'generation' | 'webhook';
  readonly due: number;
  readonly later: number;
  readonly running: number;
  readonly oldestSeconds: number | null;
}

/** Due rows that are counted; over it, all that does not run counts as due. */
const MAX_DUE = 20_000;

// All that is open is known from counters, and what runs is bounded by the slots of workers.
const FIND_QUEUES: Statement = {
  name: 'dashboard-queues',
  text: `
SELECT 'generation' AS name, w.due, w.open - w.running - w.due AS later, w.running, w."oldestSeconds"
  FROM (SELECT o.open, r.running, CASE WHEN d.due < ${MAX_DUE} THEN d.due ELSE o.open - r.running END AS due, d."oldestSeconds"
          FROM (SELECT COALESCE(sum(open_count), 0)::int AS open FROM accounts) o,
               (SELECT count(*)::int AS running FROM tasks WHERE status = 'pending' AND phase = 'running' AND ${BY_TIME}) r,
               (SELECT count(*)::int AS due, EXTRACT(EPOCH FROM now() - min(due_at))::float8 AS "oldestSeconds"
                  FROM (SELECT due_at FROM tasks WHERE status = 'pending' AND phase = 'queued' AND ${BY_TIME} AND due_at <= now()
                         ORDER BY due_at LIMIT ${MAX_DUE}) t) d) w
UNION ALL
SELECT 'webhook', w.due, w.open - w.running - w.due, w.running, w."oldestSeconds"
  FROM (SELECT o.open, r.running, CASE WHEN d.due < ${MAX_DUE} THEN d.due ELSE o.open - r.running END AS due, d."oldestSeconds"
          FROM (SELECT COALESCE(sum(deliveries - delivered - failed), 0)::int AS open FROM delivery_counts) o,
               (SELECT count(*)::int AS running FROM webhook_deliveries WHERE state = 'sending') r,
               (SELECT count(*)::int AS due, EXTRACT(EPOCH FROM now() - min(next_attempt_at))::float8 AS "oldestSeconds"
                  FROM (SELECT next_attempt_at FROM webhook_deliveries WHERE state = 'pending' AND next_attempt_at <= now()
                         ORDER BY next_attempt_at LIMIT ${MAX_DUE}) d) d) w`,
};

/** Returns waiting and running work from the database, and the hints in Redis; null while Redis is unreachable. */
export async function findQueues({
  db,
  inspector,
}: {
  readonly db: Pick<Database, 'run'>;
  readonly inspector: Pick<QueueInspector, 'look'>;
}): Promise<QueueItem[]> {
  const [queues, ...hints] = await Promise.all([
    db.run<Row>(FIND_QUEUES, []),
    inspector.look('generation'),
    inspector.look('webhook'),
  ]);
  return queues.map(({ name, due, later, running, oldestSeconds }) => {
    const seen = hints[name === 'generation' ? 0 : 1] ?? null;
    return {
      name,
      due,
      later,
      running,
      oldest_seconds: oldestSeconds === null ? null : Math.max(0, Math.round(oldestSeconds)),
      hints: seen?.hints ?? null,
      consumers: seen?.consumers ?? null,
    };
  });
}
