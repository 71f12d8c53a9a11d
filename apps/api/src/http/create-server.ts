import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { endConnection } from './end-connection.js';
import { limitBodies } from './limit-bodies.js';
import { readInTurn } from './read-in-turn.js';

const LIMITS = {
  // `limitBodies` limits how slowly a client sends, `resetSlowReaders` how slowly it reads. No socket timeout may end a request
  // that waits for its response.
  requestTimeout: 0,
  headersTimeout: 10_000,
  // Longer than the idle time of usual load balancers, so that the server never closes first.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 32 * 1024,
  // Node would send an empty 400 for a missing Host; nothing here needs the header.
  requireHostHeader: false,
} as const;

/** Options of `createHttpServer`. */
export interface ServerOptions {
  /** Called when a connection is dropped because the process has as many as it can have. */
  readonly onDrop?: () => void;
}

/** Descriptors kept for everything but the connections of clients: the database, Redis, the store, files. */
const RESERVED_DESCRIPTORS = 256;

/** Keeps connections below the descriptors of the process. At that limit it could open no connection of its own either. */
function limitConnections(server: Server, onDrop: (() => void) | undefined): void {
  const descriptors = readMaxDescriptors();
  if (descriptors !== null) {
    server.maxConnections = Math.max(Math.floor(descriptors / 2), descriptors - RESERVED_DESCRIPTORS);
  }
  server.on('drop', () => onDrop?.());
}

/** Returns the limit of open files of this process; null where the system does not tell. */
function readMaxDescriptors(): number | null {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

/** Creates the HTTP server with its limits; errors of the HTTP parser get the envelope too. */
export function createHttpServer(listener: RequestListener, { onDrop }: ServerOptions = {}): Server {
  const server = createServer(LIMITS, listener);
  limitConnections(server, onDrop);
  server.maxHeadersCount = 100;
  server.maxRequestsPerSocket = 0;
  // Express handles these like any other request.
  server.on('checkExpectation', listener);
  readInTurn(server);
  limitBodies(server, (socket) =>
    endConnection(socket, { status: 400, message: getMessage('ERR_HTTP_REQUEST_TIMEOUT') }),
  );
  server.on('connect', (_request, socket) =>
    endConnection(socket as Socket, { status: 404, message: 'Not found.' }),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A second response must not begin inside the first.
    const { _httpMessage: answer } = socket as { _httpMessage?: { headersSent?: boolean } | null };
    // A connection on which nothing was sent is closed without a word: the client would take it for the response to its next request.
    const isUnused = (socket as Socket).bytesRead === 0;
    if (error.code === 'ECONNRESET' || isUnused || !socket.writable || answer?.headersSent) {
      socket.destroy();
      return;
    }
    endConnection(socket as Socket, { status: 400, message: getMessage(error.code) });
  });
  return server;
}

function getMessage(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return 'The URL and the headers are too long.';
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return 'The request did not arrive in time.';
  }
  return 'The request is not valid HTTP.';
}
