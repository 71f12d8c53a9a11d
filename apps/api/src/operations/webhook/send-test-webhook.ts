import type { PublicTask } from '@image-gateway/shared/contract';
import type { Database, Statement } from '@image-gateway/shared/db';
import { imageKey, newId } from '@image-gateway/shared/ids';
import { type Outbound, OutboundError } from '@image-gateway/shared/net';
import { presentWebhookEvent } from '@image-gateway/shared/presenters';
import { signWebhook } from '@image-gateway/shared/webhooks';

/** Dependencies of a test webhook. */
export interface TestWebhookDeps {
  readonly db: Pick<Database, 'run'>;
  readonly outbound: Pick<Outbound, 'postBytes'>;
  readonly fileUrl: string;
}

const FIND_SECRETS: Statement = {
  name: 'find-webhook-secrets',
  text: `
SELECT CASE WHEN webhook_secret_previous_until > now() AND webhook_secret_previous IS NOT NULL
            THEN ARRAY[webhook_secret, webhook_secret_previous] ELSE ARRAY[webhook_secret] END AS secrets
  FROM accounts WHERE id = $1`,
};
const TIMEOUT_MS = 10_000;
const REASONS: Partial<Record<OutboundError['reason'], string>> = {
  timeout: 'timed out',
  'refused-address': 'address not allowed',
  'bad-url': 'address not allowed',
};

/**
 * Posts a signed event about a sample task to a URL and returns the outcome. It is neither stored nor retried. Only the
 * status of the response is read.
 */
export async function sendTestWebhook(
  { db, outbound, fileUrl }: TestWebhookDeps,
  { accountId, url }: { readonly accountId: string; readonly url: string },
): Promise<{ readonly id: string; readonly status: number | null; readonly error: string | null }> {
  const [account] = await db.run<{ secrets: string[] }>(FIND_SECRETS, [accountId]);
  const id = newId('msg');
  const body = JSON.stringify(presentWebhookEvent(sampleTask(fileUrl)));
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'image-gateway-webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signWebhook({ id, timestampSeconds, body, secrets: account?.secrets ?? [] }),
  };
  try {
    const response = await outbound.postBytes({ url, body, headers, timeoutMs: TIMEOUT_MS });
    return { id, status: response.status, error: null };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { id, status: null, error: REASONS[error.reason] ?? 'connection failed' };
  }
}

function sampleTask(fileUrl: string): PublicTask {
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
