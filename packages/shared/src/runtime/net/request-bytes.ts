import { exchange } from './exchange.js';
import type { Guard } from './guard.js';
import { parseOutboundUrl } from './parse-outbound-url.js';
import { type BodyReceiver, readBody } from './read-body.js';
import { startDeadline } from './start-deadline.js';

/** A call to a service whose answer is needed whole. */
export interface CallRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
  readonly maxBytes: number;
  /** From the look-up to the last byte. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Takes the body in, piece by piece; `bytes` is empty then, and `timeoutMs` counts anew for the body. */
  readonly receive?: BodyReceiver | undefined;
}

/** The whole answer, whatever its status. */
export interface CallResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/**
 * Makes one call and gives the whole answer, whatever its status; redirects are not followed. Rejects with
 * OutboundError, whose `sent` says whether the other side may have acted on the request.
 */
export async function requestBytes(
  dependencies: { readonly guard: Guard; readonly connectTimeoutMs: number },
  { method, url, headers = {}, body, maxBytes, timeoutMs, signal, receive }: CallRequest,
): Promise<CallResponse> {
  const target = parseOutboundUrl(url);
  const deadline = startDeadline({ timeoutMs, signal });
  try {
    const answer = await exchange(dependencies, { method, url: target, headers, body, deadline, maxBytes });
    try {
      return {
        status: answer.status,
        headers: answer.headers,
        bytes: await readBody(answer, { maxBytes, deadline, timeoutMs, receive }),
      };
    } finally {
      answer.dispose();
    }
  } finally {
    deadline.stop();
  }
}
