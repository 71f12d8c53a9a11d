import type { Socket } from 'node:net';
import { failure } from '@image-gateway/shared/contract';
import { createRequestId } from '../log-requests.js';

/** Last words on a connection. */
export interface LastWords {
  readonly status: 400 | 404;
  readonly message: string;
}

const TERMS = {
  400: { phrase: 'Bad Request', code: 'BAD_REQUEST' },
  404: { phrase: 'Not Found', code: 'NOT_FOUND' },
} as const;

/** Bounds of reading a refused connection. Closing on unread bytes sends a reset, and the client would lose the answer. */
const LINGER = { ms: 1_000, bytes: 1024 * 1024 } as const;

/**
 * Ends a connection outside of any request, with an answer where there are last words, and destroys it. Its bytes are dropped
 * for a moment, and nothing parses them.
 */
export function endConnection(socket: Socket, words: LastWords | null): void {
  // A connection that has left the server has no listeners of the server's any more.
  socket.on('error', () => socket.destroy());
  socket.removeAllListeners('data');
  // The server's parser reads by itself and starts at this event. From the next listener on the socket reads, and goes on as it was.
  socket.emit('resume');
  let left: number = LINGER.bytes;
  socket.on('data', (bytes) => {
    left -= bytes.length;
    if (left < 0) {
      socket.destroy();
    }
  });
  const timer = setTimeout(() => socket.destroy(), LINGER.ms);
  socket.once('close', () => clearTimeout(timer));
  socket.end(words ? format(words) : '');
  socket.resume();
}

function format({ status, message }: LastWords): string {
  const { phrase, code } = TERMS[status];
  const body = JSON.stringify(failure(code, message));
  return [
    `HTTP/1.1 ${status} ${phrase}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${createRequestId(undefined)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
