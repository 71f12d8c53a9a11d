import { type ClaimedDelivery, NAME_NOT_FOUND } from '@image-gateway/shared/db';
import { isNameNotFound, type Outbound, OutboundError } from '@image-gateway/shared/outbound';
import { signWebhook } from '@image-gateway/shared/webhooks';

/** Outcome of one attempt. */
export type PostOutcome =
  | { readonly kind: 'response'; readonly status: number; readonly retryAfterSeconds: number | null }
  /** No status was received; `final` when the address may never be called. */
  | { readonly kind: 'no-response'; readonly error: string; readonly final: boolean }
  /** The attempt was interrupted because the process stops. */
  | { readonly kind: 'stopped' };

/** Dependencies of an attempt. */
export interface PostDeps {
  readonly outbound: Pick<Outbound, 'postBytes'>;
  readonly timeoutMs: number;
  readonly now: () => number;
}

const TERMS = {
  // Only the status matters. A little of the body is read, so that a receiver can finish writing it.
  maxResponseBytes: 16 * 1024,
  // Accounts share connections to a host: each post says itself whose it is, and many accounts have the same receiver.
  owner: 'webhooks',
} as const;

/**
 * Signs a delivery and posts it once (Standard Webhooks 1.0). Everything a receiver does becomes a value; throws only
 * for an internal error, such as a secret that cannot sign.
 */
export async function postWebhook(
  { outbound, timeoutMs, now }: PostDeps,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<PostOutcome> {
  const { id, url, secrets, traceparent, claimedAtSeconds: timestampSeconds } = delivery;
  const body = Buffer.from(delivery.body, 'utf8');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signWebhook({ id, timestampSeconds, body, secrets }),
    // Makes the receiver's work a part of the trace (W3C Trace Context).
    ...(traceparent && { traceparent }),
  };
  try {
    const response = await outbound.postBytes({ url, body, headers, timeoutMs, signal, ...TERMS });
    const retryAfterSeconds = parseRetryAfter(response.headers['retry-after'], now());
    return { kind: 'response', status: response.status, retryAfterSeconds };
  } catch (error) {
    if (!(error instanceof OutboundError)) {
      throw error;
    }
    return error.reason === 'aborted' ? { kind: 'stopped' } : describeFailure(error);
  }
}

/** Describes a missing response in generic words, which reveal nothing about the network of the gateway. */
function describeFailure(failure: OutboundError): PostOutcome {
  const { reason } = failure;
  if (reason === 'refused-address' || reason === 'bad-url') {
    return { kind: 'no-response', error: 'address not allowed', final: true };
  }
  if (isNameNotFound(failure)) {
    return { kind: 'no-response', error: NAME_NOT_FOUND, final: false };
  }
  return {
    kind: 'no-response',
    error: reason === 'timeout' ? 'timed out' : 'connection failed',
    final: false,
  };
}

/** Parses a `Retry-After` header (RFC 9110: whole seconds, or an HTTP date) into seconds from now; null when missing or invalid. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) {
    return Number(text);
  }
  // Date.parse would also take "1" or "2030": an HTTP date begins with the name of a day.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, (at - nowMs) / 1000);
}
