import type { Database, Statement } from '@image-gateway/shared/db';
import { ABANDONED_MS, DELIVERED_MS, LEASE_MS } from './take-over-request.js';

const RENEW_PROCESS: Statement = {
  name: 'renew-facade-process',
  text: `
INSERT INTO facade_processes AS p (id) VALUES ($1)
ON CONFLICT (id) DO UPDATE SET renewed_at = now()`,
};

/** Abandoned answers that an account may have; the oldest of more are forgotten. */
const MAX_ABANDONED = 10_000;

const seconds = (ms: number): string => `interval '${ms / 1_000} seconds'`;

// Deletes what nobody can take over any more. A process that is gone has abandoned its requests.
const DELETE_OLD_REQUESTS: Statement = {
  name: 'delete-old-facade-requests',
  text: `
DELETE FROM facade_requests WHERE task_id = ANY (ARRAY(
  (SELECT task_id FROM facade_requests WHERE state = 'delivered' AND changed_at < now() - ${seconds(DELIVERED_MS)} LIMIT $1::int)
  UNION ALL
  (SELECT task_id FROM facade_requests WHERE state = 'abandoned' AND changed_at < now() - ${seconds(ABANDONED_MS)} LIMIT $1::int)
  UNION ALL
  (SELECT f.task_id FROM facade_requests f LEFT JOIN facade_processes p ON p.id = f.process_id
    WHERE f.state = 'waiting' AND f.changed_at < now() - ${seconds(ABANDONED_MS + LEASE_MS)}
      AND (p.id IS NULL OR p.renewed_at < now() - ${seconds(ABANDONED_MS + LEASE_MS)}) LIMIT $1::int)))
  AND (state <> 'waiting' OR changed_at < now() - ${seconds(ABANDONED_MS + LEASE_MS)})
RETURNING task_id`,
};

const DELETE_EXCESS_REQUESTS: Statement = {
  name: 'delete-excess-facade-requests',
  text: `
DELETE FROM facade_requests WHERE task_id = ANY (ARRAY(
  SELECT task_id
    FROM (SELECT task_id, row_number() OVER (PARTITION BY account_id ORDER BY changed_at DESC, task_id) AS turn
            FROM facade_requests WHERE state = 'abandoned') f
   WHERE turn > $1::int))
  AND state = 'abandoned'`,
};

const DELETE_OLD_PROCESSES: Statement = {
  name: 'delete-old-facade-processes',
  text: "DELETE FROM facade_processes WHERE renewed_at < now() - interval '1 hour'",
};

/** Renews the lease of all requests that wait in a process. */
export async function renewProcess(db: Pick<Database, 'run'>, processId: string): Promise<void> {
  await db.run(RENEW_PROCESS, [processId]);
}

/** Removes requests that nobody can take over any more, the oldest abandoned ones of an account that has too many, and old processes. */
export async function removeOldRequests(
  db: Pick<Database, 'run'>,
  { batch = 1_000, maxAbandoned = MAX_ABANDONED } = {},
): Promise<void> {
  let removed: readonly unknown[];
  do {
    removed = await db.run(DELETE_OLD_REQUESTS, [batch]);
  } while (removed.length >= batch);
  await db.run(DELETE_EXCESS_REQUESTS, [maxAbandoned]);
  await db.run(DELETE_OLD_PROCESSES, []);
}
