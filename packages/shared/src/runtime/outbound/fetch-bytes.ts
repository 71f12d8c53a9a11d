import { isUtf8 } from 'node:buffer';
import {
  type BodyReceiver,
  type Exchange,
  type ExchangeDeps,
  exchange,
  readBody,
  startDeadline,
} from './exchange.js';
import { parseOutboundUrl } from './guard.js';
import { OutboundError } from './outbound-error.js';

/** File to fetch, and its bounds. */
export interface FetchRequest {
  readonly url: string;
  readonly maxBytes: number;
  /** Timeout from the first name resolution to the last byte, redirects included. */
  readonly timeoutMs: number;
  /** 0 unless given. */
  readonly maxRedirects?: number;
  /** Sent to the origin of `url` only, never to another one that it redirects to. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Waits until a request to a URL may be made, redirects included, and returns how to note its end. The wait does not count. */
  readonly admit?: (url: URL) => Promise<() => void>;
  /** Connections are kept for later requests of the same owner; none is kept without it. */
  readonly owner?: string | undefined;
  /** Receives the body piece by piece; `bytes` is empty then, and `timeoutMs` starts again for the body. */
  readonly receive?: BodyReceiver | undefined;
}

/** Fetched file. */
export interface FetchedBytes {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** URL after all redirects. */
  readonly url: string;
}

/** Fetches a file with GET. Rejects with OutboundError for everything but a complete 2xx response within the bounds. */
export async function fetchBytes(
  dependencies: ExchangeDeps,
  { url, maxBytes, timeoutMs, maxRedirects = 0, headers = {}, signal, admit, receive, owner }: FetchRequest,
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
      const response = await exchange(dependencies, {
        method: 'GET',
        url: current,
        headers: own,
        deadline,
        maxBytes,
        owner,
      });
      try {
        const { status } = response;
        const next = parseRedirect(response, current);
        if (next && hop >= maxRedirects) {
          throw new OutboundError('redirect', `${current.host} redirects once more`, { sent: true, status });
        }
        if (!next && (status < 200 || status > 299)) {
          throw new OutboundError('status', `${current.host} responded with ${status}`, {
            sent: true,
            status,
          });
        }
        if (!next) {
          return {
            status,
            headers: response.headers,
            bytes: await readBody(response, { maxBytes, deadline, timeoutMs, receive }),
            url: current.href,
          };
        }
        current = next;
      } finally {
        response.dispose();
      }
    } finally {
      leftMs -= performance.now() - startedAt;
      deadline.stop();
      release?.();
    }
  }
}

/** Returns a header as the text that was meant: Node reads each byte of raw UTF-8 as a character. */
function readHeaderText(header: string): string {
  const bytes = Buffer.from(header, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : header;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Returns the target of a redirect, or null for another response. Throws OutboundError `redirect` for a target that is not followed. */
export function parseRedirect(
  { status, headers }: Pick<Exchange, 'status' | 'headers'>,
  from: URL,
): URL | null {
  const { location } = headers;
  if (!REDIRECTS.has(status) || location === undefined) {
    return null;
  }
  let target: URL;
  try {
    target = parseOutboundUrl(readHeaderText(location), from);
  } catch (cause) {
    throw new OutboundError('redirect', `${from.host} redirects to a bad URL`, { sent: true, status, cause });
  }
  if (from.protocol === 'https:' && target.protocol === 'http:') {
    throw new OutboundError('redirect', `${from.host} redirects from https to http`, { sent: true, status });
  }
  return target;
}
