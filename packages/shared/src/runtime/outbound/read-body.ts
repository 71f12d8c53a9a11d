import type { Deadline, Exchange } from './exchange.js';
import { OutboundError } from './outbound-error.js';

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
