import { exchange } from './exchange.js';
import type { Guard } from './guard.js';
import { parseOutboundUrl } from './parse-outbound-url.js';
import { readStart } from './read-start.js';
import { startDeadline } from './start-deadline.js';

/** What to post to a receiver we know nothing about. */
export interface PostRequest {
  readonly url: string;
  /** Sent byte for byte. */
  readonly body: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
  /** From the look-up to the end of the answer. */
  readonly timeoutMs: number;
  /** How much of the answer is read before the connection is cut; 64 KiB unless given. */
  readonly maxResponseBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The answer of a receiver. */
export interface PostResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** At most the first 4 KiB of the answer, for the log. */
  readonly bodyStart: Buffer;
}

const MAX_RESPONSE_BYTES = 64 * 1024;
const KEPT_BYTES = 4 * 1024;

/**
 * Posts a body and gives the answer, whatever its status; redirects are not followed. Once the status is there nothing
 * about the rest of the answer makes it fail. Rejects with OutboundError when no status came.
 */
export async function postBytes(
  dependencies: { readonly guard: Guard; readonly connectTimeoutMs: number },
  { url, body, headers, timeoutMs, maxResponseBytes = MAX_RESPONSE_BYTES, signal }: PostRequest,
): Promise<PostResponse> {
  const target = parseOutboundUrl(url);
  const deadline = startDeadline({ timeoutMs, signal });
  try {
    const request = { method: 'POST', url: target, headers, body, deadline, maxBytes: maxResponseBytes };
    const answer = await exchange(dependencies, request);
    try {
      const bodyStart = await readStart(answer, { keepBytes: KEPT_BYTES, maxBytes: maxResponseBytes });
      return { status: answer.status, headers: answer.headers, bodyStart };
    } finally {
      answer.dispose();
    }
  } finally {
    deadline.stop();
  }
}
