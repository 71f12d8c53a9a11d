import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { failure } from '@image-gateway/shared/contract';
import { requestId } from './request-id.js';

const LIMITS = {
  // These bound what a client sends. What it must read is bounded by `watchReaders`: no socket timeout may end a request
  // that waits for its answer.
  requestTimeout: 15_000,
  headersTimeout: 10_000,
  // Longer than the idle time of usual load balancers, so that it is never us who close first.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 32 * 1024,
  // Node would answer a missing Host with an empty 400; nothing here needs the header.
  requireHostHeader: false,
} as const;

/** Makes the HTTP server with its limits; what the HTTP parser refuses is answered in the envelope too. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(LIMITS, listener);
  server.maxHeadersCount = 100;
  server.maxRequestsPerSocket = 0;
  // Express answers these like any other request.
  server.on('checkExpectation', listener);
  server.on('connect', (_request, socket) => refuse(socket as Socket, 404, 'NOT_FOUND', 'Not found.'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A second answer in the middle of the first would only confuse.
    const { _httpMessage: answer } = socket as { _httpMessage?: { headersSent?: boolean } | null };
    if (error.code === 'ECONNRESET' || !socket.writable || answer?.headersSent) {
      socket.destroy();
      return;
    }
    refuse(socket as Socket, 400, 'BAD_REQUEST', getMessage(error.code));
  });
  return server;
}

function getMessage(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The URL and the headers are too long.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request did not arrive in time.';
  return 'The request is not valid HTTP.';
}

function refuse(socket: Socket, status: number, code: 'BAD_REQUEST' | 'NOT_FOUND', message: string): void {
  const body = JSON.stringify(failure(code, message));
  socket.end(
    [
      `HTTP/1.1 ${status} ${status === 404 ? 'Not Found' : 'Bad Request'}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId(undefined)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
