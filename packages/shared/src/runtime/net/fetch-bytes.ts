import { exchange } from './exchange.js';
import type { Guard } from './guard.js';
import { parseRedirect } from './next-hop.js';
import { OutboundError } from './outbound-error.js';
import { parseOutboundUrl } from './parse-outbound-url.js';
import { type BodyReceiver, readBody } from './read-body.js';
import { startDeadline } from './start-deadline.js';

/** What to fetch, and how much of it at most. */
export interface FetchRequest {
  readonly url: string;
  readonly maxBytes: number;
  /** From the first look-up to the last byte, redirects included. */
  readonly timeoutMs: number;
  /** 0 unless given. */
  readonly maxRedirects?: number;
  /** Sent to the origin of `url` only, never to another one that it redirects to. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Waits until a request to a URL may be made, redirects included, and returns how to note its end. The wait does not count. */
  readonly admit?: (url: URL) => Promise<() => void>;
  /** Takes the body in, piece by piece; `bytes` is empty then, and `timeoutMs` counts anew for the body. */
  readonly receive?: BodyReceiver | undefined;
}

/** A fetched file. */
export interface FetchedBytes {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** Where it was found in the end. */
  readonly url: string;
}

/** Fetches a file with GET. Rejects with OutboundError for everything but a complete 2xx answer within the bounds. */
export async function fetchBytes(
  dependencies: { readonly guard: Guard; readonly connectTimeoutMs: number },
  { url, maxBytes, timeoutMs, maxRedirects = 0, headers = {}, signal, admit, receive }: FetchRequest,
): Promise<FetchedBytes> {
  const first = parseOutboundUrl(url);
  let current = first;
  let leftMs = timeoutMs;
  for (let hop = 0; ; hop += 1) {
    const release = await admit?.(current);
    const startedAt = performance.now();
    const deadline = startDeadline({ timeoutMs: leftMs, signal });
    try {
      const own = current.origin === first.origin ? headers : {};
      const answer = await exchange(dependencies, {
        method: 'GET',
        url: current,
        headers: own,
        deadline,
        maxBytes,
      });
      try {
        const { status } = answer;
        const next = parseRedirect(answer, current);
        if (next && hop >= maxRedirects) {
          throw new OutboundError('redirect', `${current.host} redirects once more`, { sent: true, status });
        }
        if (!next && (status < 200 || status > 299)) {
          throw new OutboundError('status', `${current.host} answered ${status}`, { sent: true, status });
        }
        if (!next) {
          return {
            status,
            headers: answer.headers,
            bytes: await readBody(answer, { maxBytes, deadline, timeoutMs, receive }),
            url: current.href,
          };
        }
        current = next;
      } finally {
        answer.dispose();
      }
    } finally {
      leftMs -= performance.now() - startedAt;
      deadline.stop();
      release?.();
    }
  }
}
