import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Connect } from './connections.js';
import { decodeBody, isEncoded } from './decode-body.js';
import type { Guard } from './guard.js';
import { OutboundError } from './outbound-error.js';

/** Request to exactly one URL. */
export interface ExchangeRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
  readonly deadline: Deadline;
  readonly maxBytes: number;
  /** Connections are kept for later requests of the same owner; undefined: none is kept. */
  readonly owner?: string | undefined;
  /** True for a request of which it must be known whether it arrived, such as one that may be billed. */
  readonly isCostly?: boolean | undefined;
  /** True for a service that may send small chunks now and then while it works. */
  readonly takesKeepAlives?: boolean;
}

/** Response whose body has not been read yet. */
export interface Exchange {
  readonly status: number;
  /** Headers by lower-case name; repeated ones joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the content, decoded where the server compressed it; fails with OutboundError. */
  readonly body: AsyncIterable<Buffer>;
  /** Must be called. Destroys the connection, unless the body was read to its end and the connection is kept. */
  readonly dispose: () => void;
}

const DEFAULT_HEADERS = { Accept: '*/*', 'Accept-Encoding': 'identity' };
/** Node's own limit of 16 KiB is below what some sites send. */
const MAX_HEADER_BYTES = 64 * 1024;
const WIRE_SLACK_BYTES = 256 * 1024;

/** Dependencies of an exchange. */
export interface ExchangeDeps {
  readonly guard: Pick<Guard, 'checkLiteral'>;
  readonly connect: Connect;
  readonly userAgent: string;
}

/**
 * Sends one request through the guard and returns the response, whatever its status, as soon as its headers are there.
 * Follows no redirect, uses no proxy of the environment. Throws OutboundError.
 */
export async function exchange(
  { guard, connect, userAgent }: ExchangeDeps,
  {
    method,
    url,
    headers,
    body,
    deadline,
    maxBytes,
    owner,
    isCostly = false,
    takesKeepAlives = false,
  }: ExchangeRequest,
): Promise<Exchange> {
  // Node resolves no literal address, so that one is checked here.
  guard.checkLiteral(url);
  const maxWireBytes = 2 * maxBytes + WIRE_SLACK_BYTES;
  const connection = connect({ url, maxWireBytes, owner, isCostly, takesKeepAlives });
  const toError = (cause: unknown): OutboundError => {
    const sent = connection.phase() === 'open';
    const endedBy = deadline.endedBy();
    if (endedBy) {
      return new OutboundError(endedBy, `the call to ${url.host} was ended: ${endedBy}`, { sent });
    }
    if (cause instanceof OutboundError) {
      return cause;
    }
    const known = connection.failure();
    if (known) {
      return known;
    }
    const reason = { connecting: 'connect', securing: 'tls', open: 'broken' } as const;
    return new OutboundError(reason[connection.phase()], `the call to ${url.host} failed`, { sent, cause });
  };
  try {
    const { request } = url.protocol === 'https:' ? https : http;
    const sent = request(url, {
      method,
      headers: { ...DEFAULT_HEADERS, 'User-Agent': userAgent, ...headers },
      agent: connection.agent,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal: deadline.signal,
    });
    const response = await send(sent, body);
    // Without a listener an error after the last read would end the process.
    response.on('error', () => undefined);
    const dispose = (): void => {
      // A server may answer before it has read the whole request: its connection is of no use then.
      const isWhole = response.readableEnded && sent.writableFinished;
      if (!isWhole) {
        response.destroy();
      }
      connection.end(isWhole);
    };
    const status = response.statusCode ?? 0;
    const { 'content-encoding': encoding = '', ...plain } = flatten(response.headers);
    connection.noteTerm(plain['keep-alive']);
    if (!isEncoded(encoding)) {
      return { status, headers: plain, body: readChunks(response, toError), dispose };
    }
    // The length is that of the compressed bytes.
    const { 'content-length': _, ...decoded } = plain;
    const content = decodeBody(readChunks(response, toError), encoding);
    return { status, headers: decoded, body: readChunks(content, toError), dispose };
  } catch (error) {
    connection.end(false);
    throw toError(error);
  }
}

/** Sends a request and returns its response as soon as the headers are there. Rejects with the first error before. */
function send(request: ClientRequest, body: Buffer | string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    // Further errors may follow the first one.
    request.on('error', reject);
    // A connection that switches protocols ends without an error.
    request.once('close', () => reject(new Error('no response')));
    request.end(body);
  });
}

async function* readChunks(
  stream: AsyncIterable<unknown>,
  toError: (cause: unknown) => OutboundError,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) {
      yield chunk as Buffer;
    }
  } catch (error) {
    throw toError(error);
  }
}

function flatten(headers: object): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    flat[name.toLowerCase()] = String(value);
  }
  return flat;
}

/** Deadline of a call: its timeout or the abort of its caller. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Reason for the end of the call, or null while it may go on. */
  readonly endedBy: () => 'timeout' | 'aborted' | null;
  /** Stops the timer, so that only the caller's signal ends the call. */
  readonly pause: () => void;
  /** Restarts the timer with that many milliseconds. */
  readonly resume: (leftMs: number) => void;
  /** Must be called when the call is over. */
  readonly stop: () => void;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts the deadline of a call: its signal is aborted after `timeoutMs`, or together with the caller's signal. */
export function startDeadline(options: {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}): Deadline {
  const controller = new AbortController();
  let endedBy: 'timeout' | 'aborted' | null = null;
  const end = (reason: 'timeout' | 'aborted'): void => {
    endedBy ??= reason;
    controller.abort();
  };
  const onAbort = (): void => end('aborted');
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => clearTimeout(timer);
  const resume = (leftMs: number): void => {
    pause();
    timer = setTimeout(() => end('timeout'), Math.min(Math.max(0, leftMs), MAX_TIMER_MS));
  };
  resume(options.timeoutMs);
  if (options.signal?.aborted) {
    onAbort();
  }
  options.signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    endedBy: () => endedBy,
    pause,
    resume,
    stop: () => {
      pause();
      options.signal?.removeEventListener('abort', onAbort);
    },
  };
}

/** Receiver of a body whose bytes may have to wait for memory. */
export interface BodyReceiver {
  /** Learns how long the body is announced to be; null when it is not. */
  readonly expect?: (bytes: number | null) => void;
  /** Receives the next bytes. Nothing more is read until it resolves, and the timeouts do not count meanwhile. */
  readonly write: (chunk: Buffer) => Promise<void>;
  /** Longest wait for the next bytes, in milliseconds. */
  readonly silenceMs: number;
}

/** Bounds of a body. */
export interface BodyBounds {
  readonly maxBytes: number;
  readonly deadline: Deadline;
  /** Time for the body in milliseconds; with a receiver only waiting for bytes counts, without one the deadline goes on. */
  readonly timeoutMs: number;
  readonly receive?: BodyReceiver | undefined;
}

/**
 * Reads a whole body. Passes it to the receiver, if there is one, and returns it otherwise. Throws OutboundError
 * (`too-large` as soon as the body is announced or found to exceed `maxBytes`) and errors of the receiver.
 */
export async function readBody(
  { status, headers, body }: Exchange,
  { maxBytes, deadline, timeoutMs, receive }: BodyBounds,
): Promise<Buffer> {
  const tooLarge = (): OutboundError =>
    new OutboundError('too-large', `the response is over ${maxBytes} bytes`, { sent: true, status });
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    throw tooLarge();
  }
  receive?.expect?.(parseLength(headers['content-length']));
  const chunks: Buffer[] = [];
  const write = receive?.write ?? ((chunk: Buffer) => void chunks.push(chunk));
  let length = 0;
  try {
    for await (const chunk of receive ? watchBytes(body, deadline, { ...receive, timeoutMs }) : body) {
      length += chunk.length;
      if (length > maxBytes) {
        throw tooLarge();
      }
      await write(chunk);
    }
  } catch (error) {
    if (!(error instanceof OutboundError) || error.status !== undefined) {
      throw error;
    }
    const { reason, message, sent } = error;
    throw new OutboundError(reason, message, { sent, status, cause: error });
  }
  return Buffer.concat(chunks);
}

function parseLength(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Passes bytes on. From here on the deadline counts only time spent waiting for bytes. */
async function* watchBytes(
  body: AsyncIterable<Buffer>,
  deadline: Deadline,
  { silenceMs, timeoutMs }: { readonly silenceMs: number; readonly timeoutMs: number },
): AsyncGenerator<Buffer> {
  deadline.pause();
  const iterator = body[Symbol.asyncIterator]();
  try {
    for (let leftMs = timeoutMs; ; ) {
      const startedAt = performance.now();
      deadline.resume(Math.min(silenceMs, leftMs));
      const { done, value } = await iterator.next();
      deadline.pause();
      if (done) {
        return;
      }
      leftMs -= performance.now() - startedAt;
      yield value;
    }
  } finally {
    deadline.pause();
  }
}
