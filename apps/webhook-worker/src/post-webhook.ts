import { type ClaimedDelivery, NAME_NOT_FOUND } from '@image-gateway/shared/db';
import { isNameNotFound, type Outbound, OutboundError } from '@image-gateway/shared/net';
import { signWebhook } from '@image-gateway/shared/webhooks';

/** What one attempt came to. */
export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterSeconds: number | null }
  /** No status came; `final` when the same address can never be called. */
  | { readonly kind: 'unanswered'; readonly error: string; readonly final: boolean }
  /** We ended it ourselves, because the process stops. */
  | { readonly kind: 'stopped' };

/** How an attempt is made. */
export interface PostDeps {
  readonly outbound: Pick<Outbound, 'postBytes'>;
  readonly timeoutMs: number;
  readonly now: () => number;
}

// The status is all we need. A little of the answer is read, so that a receiver that writes one can finish doing so.
const MAX_RESPONSE_BYTES = 16 * 1024;
const USER_AGENT = 'image-gateway-webhooks/1';

/**
 * Signs a delivery and posts it once (Standard Webhooks 1.0). Whatever a receiver does becomes a value; it throws only
 * for a fault of our own, such as a secret that cannot sign.
 */
export async function postWebhook(
  { outbound, timeoutMs, now }: PostDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const { id, url, secrets, claimedAtSeconds: timestampSeconds } = delivery;
  const body = Buffer.from(delivery.body, 'utf8');
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signWebhook({ id, timestampSeconds, body, secrets }),
  };
  try {
    const request = { url, body, headers, timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES, signal };
    const answer = await outbound.postBytes(request);
    const retryAfterSeconds = parseRetryAfter(answer.headers['retry-after'], now());
    return { kind: 'answered', status: answer.status, retryAfterSeconds };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return error.reason === 'aborted' ? { kind: 'stopped' } : explain(error);
  }
}

/** Says in generic words why there was no answer, so that the text tells nothing about the network that we stand in. */
function explain(failure: OutboundError): PostOutcome {
  const { reason } = failure;
  if (reason === 'refused-address' || reason === 'bad-url')
    return { kind: 'unanswered', error: 'address not allowed', final: true };
  if (isNameNotFound(failure)) return { kind: 'unanswered', error: NAME_NOT_FOUND, final: false };
  return {
    kind: 'unanswered',
    error: reason === 'timeout' ? 'timed out' : 'connection failed',
    final: false,
  };
}

/** Reads a `Retry-After` header (RFC 9110: whole seconds, or an HTTP date) as seconds from now; null for none or nonsense. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  // Date.parse would also take "1" or "2030": an HTTP date begins with the name of a day.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, (at - nowMs) / 1000);
}
