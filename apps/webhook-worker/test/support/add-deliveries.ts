import type { TestAccount, TestDatabase } from '@image-gateway/testing';

/** Many deliveries at once. */
export interface ManyDeliveries {
  readonly count: number;
  /** Part of the ids, so that several calls do not collide: letters only. */
  readonly label: string;
  /** Where they go, or several URLs that they are spread over. */
  readonly url: string | readonly string[];
  readonly dueInSeconds?: number;
}

/** Adds finished tasks with webhooks that wait, straight into the tables: thousands in a moment. */
export async function addDeliveries(
  { pool }: TestDatabase,
  account: TestAccount,
  { count, label, url, dueInSeconds = 0 }: ManyDeliveries,
): Promise<void> {
  const urls = [url].flat();
  const hosts = urls.map((one) => `${new URL(one).hostname}:${new URL(one).port || 80}`);
  await pool.query(
    `INSERT INTO tasks (id, account_id, api_key_id, request_id, model, type, prompt, aspect_ratio, resolution, num_outputs,
       image_urls, webhook_url, status, phase, settled_attempt, deadline_at, unit_micros, hold_micros, error, started_at, completed_at)
     SELECT 'gen_' || $3 || lpad(i::text, 12, '0'), $1, $2, 'req', 'nanobanana', 'image_generate', 'x', '16:9', '1k', 1,
       '{}', ($4::text[])[1 + i % cardinality($4::text[])], 'failed', 'done', 0, now() + interval '1 hour', 10000, 10000, 'x', now(), now()
     FROM generate_series(1, $5::int) i`,
    [account.id, account.apiKeyId, label, urls, count],
  );
  await pool.query(
    `INSERT INTO webhook_deliveries (id, task_id, account_id, url, host_port, body, next_attempt_at)
     SELECT 'msg_' || $2 || lpad(i::text, 18, '0'), 'gen_' || $2 || lpad(i::text, 12, '0'), $1,
       ($3::text[])[1 + i % cardinality($3::text[])], ($4::text[])[1 + i % cardinality($4::text[])],
       jsonb_build_object('type', 'task.failed', 'data', jsonb_build_object('id', 'gen_' || $2 || lpad(i::text, 12, '0'), 'status', 'failed'))::text,
       now() + $6::float8 * interval '1 second'
     FROM generate_series(1, $5::int) i`,
    [account.id, label, urls, hosts, count, dueInSeconds],
  );
}
