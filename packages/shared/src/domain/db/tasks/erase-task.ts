/**
 * Assignments that erase a task `t`: its texts and input URLs. An idempotency key that is still valid stays, so that a late repeat of the
 * submit is not charged as a new task.
 */
export const ERASED_VALUES = `erased_at = COALESCE(t.erased_at, now()), prompt = '', negative_prompt = NULL, image_urls = '{}',
         idem_key = CASE WHEN t.created_at > now() - interval '24 hours' THEN t.idem_key END,
         idem_fingerprint = CASE WHEN t.created_at > now() - interval '24 hours' THEN t.idem_fingerprint END`;

/**
 * Writes the CTEs that erase what belongs to the tasks of a CTE: job handles, images, uploads and requests of the facade. Files
 * go with the last task that used them. The handle of an open job stays until it ends. The class of a failure stays with its
 * call, since the sums of hours name it; it holds no text of a customer.
 */
export function eraseParts(erased: string): string {
  return `calls AS (
  UPDATE provider_calls c SET job_handle = NULL FROM ${erased} e
   WHERE c.task_id = e.id AND c.job_handle IS NOT NULL AND c.state NOT IN ('started', 'submitted')),
objects AS (
  INSERT INTO orphan_checks (task_id) SELECT id FROM ${erased}
  ON CONFLICT (task_id) DO UPDATE SET round = 0, due_at = now()),
inputs AS (
  UPDATE task_inputs i SET remove_at = now(), expires_at = CASE WHEN i.expires_at IS NOT NULL THEN '-infinity'::timestamptz END
    FROM ${erased} e WHERE i.task_id = e.id),
requests AS (DELETE FROM facade_requests f USING ${erased} e WHERE f.task_id = e.id)`;
}
