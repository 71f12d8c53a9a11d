import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { imageKey, newId } from '@image-gateway/shared/ids';
import { getHostPort } from '@image-gateway/shared/net';
import { presentWebhookEvent } from '@image-gateway/shared/presenters';
import type { Producer } from '@image-gateway/shared/queues';
import type { PublicTask } from '@image-gateway/shared/task/schema';

/** Dependencies of adding a test event. */
export interface WebhookTestDeps {
  readonly db: Pick<Database, 'run'>;
  readonly producer: Pick<Producer, 'add'>;
  readonly fileUrl: string;
}

/** Test event to be sent. */
export interface WebhookTestInput {
  readonly accountId: string;
  readonly url: string;
  /** Id of the request, for log lines of the worker. */
  readonly requestId: string;
}

const MAX_OPEN = 5;

// A unique index holds each slot once. An insert that loses a race for a slot inserts nothing, and the next one takes another slot.
const ADD_WEBHOOK_TEST: Statement = {
  name: 'add-webhook-test',
  text: `
INSERT INTO webhook_tests (id, account_id, request_id, slot, url, host_port, body)
SELECT $1, $2, $3, free.slot, $4, $5, $6
  FROM (SELECT s AS slot FROM generate_series(1, ${MAX_OPEN}) s
         WHERE NOT EXISTS (SELECT 1 FROM webhook_tests t WHERE t.account_id = $2 AND t.slot = s AND t.state IN ('pending', 'sending'))
         ORDER BY s LIMIT 1) free
ON CONFLICT (account_id, slot) WHERE state IN ('pending', 'sending') DO NOTHING
RETURNING id`,
};

/**
 * Adds an event about a made-up task, which a webhook worker signs and sends once, and returns its id.
 * Throws AppError `RATE_LIMITED` while five test events of the account have not ended.
 */
export async function addWebhookTest(
  { db, producer, fileUrl }: WebhookTestDeps,
  { accountId, url, requestId }: WebhookTestInput,
): Promise<string> {
  const id = newId('test');
  const body = JSON.stringify(presentWebhookEvent(buildSampleTask(fileUrl)));
  const values = [id, accountId, requestId, url, getHostPort(new URL(url)), body];
  // Each lost race means that another request got a slot, so no more tries than slots are needed.
  for (let tries = 0; tries < MAX_OPEN; tries += 1) {
    const added = await db.run(ADD_WEBHOOK_TEST, values);
    if (added.length === 0) {
      continue;
    }
    // The hint never delays the response: without it the worker finds the row within a second.
    void producer.add('webhook-test', [{ testId: id, traceId: requestId }]);
    return id;
  }
  const publicMessage = 'Earlier test events are still being sent. Try again in a few seconds.';
  throw new AppError('RATE_LIMITED', { publicMessage, retryAfterSeconds: 5 });
}

function buildSampleTask(fileUrl: string): PublicTask {
  const now = new Date().toISOString();
  const id = `gen_${'0'.repeat(22)}`;
  const url = `${fileUrl}/${imageKey(id, 0, 'png')}`;
  return {
    id,
    status: 'completed',
    model: 'nanobanana',
    type: 'image_generate',
    output: { url, urls: [url] },
    cost: '$0.00',
    created_at: now,
    started_at: now,
    completed_at: now,
  };
}
