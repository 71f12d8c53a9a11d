import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';

// A call that is still to be stopped stays until its job has ended.
const DELETE_OLD_CALLS: Statement = {
  name: 'delete-old-calls',
  text: `
WITH old AS (
  SELECT c.id FROM provider_calls c JOIN tasks t ON t.id = c.task_id
   WHERE c.created_at < now() - make_interval(secs => $1::float8 * 86400)
     AND t.status <> 'pending' AND t.completed_at < now() - make_interval(secs => $1::float8 * 86400)
     AND NOT EXISTS (SELECT 1 FROM abandoned_calls a WHERE a.call_id = c.id)
   ORDER BY c.created_at LIMIT $2::int FOR UPDATE OF c SKIP LOCKED),
deleted AS (
  DELETE FROM provider_calls c USING old WHERE c.id = old.id
  RETURNING c.id, c.task_id, c.provider, c.model, c.state, c.detail, c.created_at),
hours AS (
  INSERT INTO hour_journal (calls)
  SELECT jsonb_agg(jsonb_build_object('task', task_id, 'provider', provider, 'model', model, 'state', state, 'detail', detail,
                                      'created', created_at, 'images', 0, 'calls', 0, 'deleted', 1))
    FROM deleted
   WHERE state NOT IN ('started', 'submitted')
  HAVING count(*) > 0)
SELECT id FROM deleted`,
};

/**
 * Deletes up to `limit` calls of tasks that ended more than `days` ago, the oldest first; the hours keep how many. Returns
 * their number.
 */
export async function deleteOldCalls(
  db: Pick<Database, 'run'>,
  { days, limit }: { readonly days: number; readonly limit: number },
): Promise<number> {
  return (await db.run(DELETE_OLD_CALLS, [days, limit])).length;
}
