import { newId } from '@image-gateway/shared/ids';
import type { TestAccount, TestDatabase } from '@image-gateway/testing';

/** Row of webhook_tests. */
export interface WebhookTestRow {
  readonly id: string;
  readonly state: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly lease_until: Date | null;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

/** Adds a test event as the API does, and returns its id. */
export async function addWebhookTest(
  { pool }: TestDatabase,
  account: TestAccount,
  {
    url,
    slot = 1,
    ageSeconds = 0,
  }: { readonly url: string; readonly slot?: number; readonly ageSeconds?: number },
): Promise<string> {
  const id = newId('test');
  await pool.query(
    `INSERT INTO webhook_tests (id, account_id, request_id, slot, url, host_port, body, created_at)
     VALUES ($1, $2, 'req-test', $3, $4, $5, $6, now() - $7::float8 * interval '1 second')`,
    [
      id,
      account.id,
      slot,
      url,
      new URL(url).host,
      '{"type":"task.completed","data":{"id":"ü 猫"}}',
      ageSeconds,
    ],
  );
  return id;
}

/** Reads a test event; undefined when there is none. */
export async function findWebhookTest(
  { pool }: TestDatabase,
  id: string,
): Promise<WebhookTestRow | undefined> {
  return (await pool.query<WebhookTestRow>('SELECT * FROM webhook_tests WHERE id = $1', [id])).rows[0];
}
