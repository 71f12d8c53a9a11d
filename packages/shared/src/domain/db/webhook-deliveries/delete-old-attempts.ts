import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

const DELETE_OLD_ATTEMPTS: Statement = {
  name: 'delete-old-attempts',
  text: `
WITH old AS (
  SELECT w.delivery_id, w.attempt FROM webhook_attempts w JOIN webhook_deliveries d ON d.id = w.delivery_id
   WHERE w.ended_at < now() - make_interval(secs => $1::float8 * 86400) AND d.state IN ('delivered', 'failed')
   ORDER BY w.ended_at LIMIT $2::int FOR UPDATE OF w SKIP LOCKED)
DELETE FROM webhook_attempts w USING old WHERE w.delivery_id = old.delivery_id AND w.attempt = old.attempt RETURNING w.attempt`,
};

/** Deletes up to `limit` attempts of webhooks that have ended, made more than `days` ago, the oldest first; returns their number. */
export async function deleteOldAttempts(
  db: Pick<Database, 'run'>,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  return (await db.run(DELETE_OLD_ATTEMPTS, [days, limit])).length;
}
