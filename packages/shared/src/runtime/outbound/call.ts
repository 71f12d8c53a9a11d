import type { Guard } from './create-guard.js';
import { exchange } from './exchange.js';
import { parseOutboundUrl } from './outbound-error.js';
import { type BodyReceiver, readBody, readStart } from './read-body.js';
import { startDeadline } from './start-deadline.js';

/** Body to post to an unknown receiver. */
export interface PostRequest {
  readonly url: string;
  /** Sent byte for byte. */
  readonly body: Buffer | string;
  readonly headers: Readonly<Record<string, string>>;
  /** Timeout from the name resolution to the end of the response. */
  readonly timeoutMs: number;
  /** Maximum of bytes of the response that are read before the connection is closed; 64 KiB unless given. */
  readonly maxResponseBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

/** Response of a receiver. */
export interface PostResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** First bytes of the body, at most 4 KiB, for the log. */
  readonly bodyStart: Buffer;
}

const MAX_RESPONSE_BYTES = 64 * 1024;
const KEPT_BYTES = 4 * 1024;

/**
 * Posts a body and returns the response, whatever its status; redirects are not followed. Once the status is there, nothing
 * about the rest of the response makes it fail. Rejects with OutboundError when no status was received.
 */
export async function postBytes(
  dependencies: { readonly guard: Guard; readonly connectTimeoutMs: number },
  { url, body, headers, timeoutMs, maxResponseBytes = MAX_RESPONSE_BYTES, signal }: PostRequest,
): Promise<PostResponse> {
  const target = parseOutboundUrl(url);
  const deadline = startDeadline({ timeoutMs, signal });
  try {
    const request = { method: 'POST', url: target, headers, body, deadline, maxBytes: maxResponseBytes };
    const response = await exchange(dependencies, request);
    try {
      const bodyStart = await readStart(response, { keepBytes: KEPT_BYTES, maxBytes: maxResponseBytes });
      return { status: response.status, headers: response.headers, bodyStart };
    } finally {
      response.dispose();
    }
  } finally {
    deadline.stop();
  }
}

/** Call to a service whose whole response is needed. */
export interface CallRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
  readonly maxBytes: number;
  /** Timeout from the name resolution to the last byte. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Receives the body piece by piece; `bytes` is empty then, and `timeoutMs` starts again for the body. */
  readonly receive?: BodyReceiver | undefined;
}

/** Whole response, whatever its status. */
export interface CallResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/**
 * Makes one call and returns the whole response, whatever its status; redirects are not followed. Rejects with
 * OutboundError, whose `sent` says whether the other side may have acted on the request.
 */
export async function requestBytes(
  dependencies: { readonly guard: Guard; readonly connectTimeoutMs: number },
  { method, url, headers = {}, body, maxBytes, timeoutMs, signal, receive }: CallRequest,
): Promise<CallResponse> {
  const target = parseOutboundUrl(url);
  const deadline = startDeadline({ timeoutMs, signal });
  try {
    const response = await exchange(dependencies, { method, url: target, headers, body, deadline, maxBytes });
    try {
      return {
        status: response.status,
        headers: response.headers,
        bytes: await readBody(response, { maxBytes, deadline, timeoutMs, receive }),
      };
    } finally {
      response.dispose();
    }
  } finally {
    deadline.stop();
  }
}
