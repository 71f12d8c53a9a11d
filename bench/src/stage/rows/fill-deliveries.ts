import type pg from 'pg';

// The worker reads the delivery alone: that the task itself names no receiver makes no difference.
const DELIVERIES = `
WITH chosen AS (
  SELECT id, account_id, ($2::text[])[1 + row_number() OVER () % cardinality($2::text[])] AS receiver FROM tasks t
   WHERE status = 'completed' AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.task_id = t.id) LIMIT $1)
INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, next_attempt_at)
SELECT 'msg' || substr(id, 4), id, account_id, 'http://' || receiver || '/hook', receiver, $3::text, now() FROM chosen`;

/** The body of every delivery: a task with one image. */
export const WEBHOOK_BODY = JSON.stringify({
  type: 'task.completed',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: {
    id: `gen_h${'0'.repeat(21)}`,
    status: 'completed',
    model: 'nanobanana',
    type: 'image_generate',
    output: { url: 'u'.repeat(80), urls: ['u'.repeat(80)] },
    cost: '$0.01',
    created_at: '2026-01-01T00:00:00.000Z',
    started_at: '2026-01-01T00:00:00.000Z',
    completed_at: '2026-01-01T00:00:00.000Z',
  },
});

/** Makes webhooks of so many finished tasks due at once, divided over receivers (`host:port`). */
export async function fillDeliveries(
  pool: pg.Pool,
  { count, receivers }: { readonly count: number; readonly receivers: readonly string[] },
): Promise<void> {
  const { rowCount } = await pool.query(DELIVERIES, [count, receivers, WEBHOOK_BODY]);
  if (rowCount !== count) {
    throw new Error(`only ${rowCount} of ${count} webhooks could be made`);
  }
  await pool.query('ANALYZE webhook_deliveries');
}
