import type { Readable } from 'node:stream';
import axios from 'axios';
import { connectGuarded } from './connect-guarded.js';
import type { Guard } from './guard.js';
import { OutboundError } from './outbound-error.js';
import type { Deadline } from './start-deadline.js';

/** One request, to exactly one URL. */
export interface ExchangeRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
  readonly deadline: Deadline;
  readonly maxBytes: number;
}

/** An answer whose body is still on its way. */
export interface Exchange {
  readonly status: number;
  /** By lower-case name; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they were sent, never unpacked; fails with OutboundError. */
  readonly body: AsyncIterable<Buffer>;
  /** Must be called; destroys the connection. */
  readonly dispose: () => void;
}

const DEFAULT_HEADERS = { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'image-gateway' };
const WIRE_SLACK_BYTES = 256 * 1024;

/**
 * Sends one request through the guard and gives the answer, whatever its status, as soon as its headers are there.
 * Follows no redirect, uses no proxy of the environment, unpacks nothing. Throws OutboundError.
 */
export async function exchange(
  { guard, connectTimeoutMs }: { readonly guard: Guard; readonly connectTimeoutMs: number },
  { method, url, headers, body, deadline, maxBytes }: ExchangeRequest,
): Promise<Exchange> {
  // The look-up of a connection is never called for an address, so that one is checked here.
  guard.checkLiteral(url);
  const maxWireBytes = 2 * maxBytes + WIRE_SLACK_BYTES;
  const connection = connectGuarded({ guard, url, connectTimeoutMs, maxWireBytes });
  const toError = (cause: unknown): OutboundError => {
    const sent = connection.phase() === 'open';
    const endedBy = deadline.endedBy();
    if (endedBy) return new OutboundError(endedBy, `the call to ${url.host} was ended: ${endedBy}`, { sent });
    if (cause instanceof OutboundError) return cause;
    const known = connection.failure();
    if (known) return known;
    const reason = { connecting: 'connect', securing: 'tls', open: 'broken' } as const;
    return new OutboundError(reason[connection.phase()], `the call to ${url.host} failed`, { sent, cause });
  };
  try {
    const answer = await axios.request<Readable>({
      method,
      url: url.href,
      headers: { ...DEFAULT_HEADERS, ...headers },
      ...(body !== undefined && { data: typeof body === 'string' ? Buffer.from(body) : body }),
      adapter: 'http',
      httpAgent: connection.agent,
      httpsAgent: connection.agent,
      proxy: false,
      maxRedirects: 0,
      decompress: false,
      responseType: 'stream',
      signal: deadline.signal,
      validateStatus: null,
    });
    const stream = answer.data;
    // An error after the last read has nobody left to hear it.
    stream.on('error', () => undefined);
    const dispose = (): void => {
      stream.destroy();
      connection.destroy();
    };
    return {
      status: answer.status,
      headers: flatten(answer.headers),
      body: bytesOf(stream, toError),
      dispose,
    };
  } catch (error) {
    connection.destroy();
    throw toError(error);
  }
}

async function* bytesOf(
  stream: Readable,
  toError: (cause: unknown) => OutboundError,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw toError(error);
  }
}

function flatten(headers: object): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) flat[name.toLowerCase()] = String(value);
  return flat;
}
