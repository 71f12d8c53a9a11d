import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { boundAddresses, MAX_HEADER_BYTES } from './connections/bound-addresses.js';
import { createConnections } from './connections/connection.js';
import { endConnection } from './connections/end-connection.js';
import { limitChunks } from './connections/limit-chunks.js';
import { readInTurn } from './connections/read-in-turn.js';
import { runInTurn } from './connections/run-in-turn.js';
import { findState } from './framework/request-state.js';
import { limitBodies } from './limit-bodies.js';

const LIMITS = {
  // `limitBodies` limits how slowly a client sends, `resetSlowReaders` how slowly it reads. No socket timeout may end a request
  // that waits for its response.
  requestTimeout: 0,
  headersTimeout: 10_000,
  // Longer than the idle time of usual load balancers, so that the server never closes first.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: MAX_HEADER_BYTES,
  // Node would send an empty 400 for a missing Host; nothing here needs the header.
  requireHostHeader: false,
} as const;

/** Options of `createHttpServer`. */
export interface ServerOptions {
  /** Called when a connection is closed for want of a place: of its address, or in the process. */
  readonly onDrop?: () => void;
  /** Returns true for the address of a proxy, whose connections are those of many clients. */
  readonly isProxy?: (address: string) => boolean;
}

/** Descriptors kept for everything but the connections of clients: the database, Redis, the store, files. */
const RESERVED_DESCRIPTORS = 256;

/** Keeps connections below the descriptors of the process. At that limit it could open no connection of its own either. */
function limitConnections(server: Server, onDrop: () => void): void {
  const descriptors = readMaxDescriptors();
  if (descriptors !== null) {
    server.maxConnections = Math.max(Math.floor(descriptors / 2), descriptors - RESERVED_DESCRIPTORS);
  }
  server.on('drop', onDrop);
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
export function createHttpServer(
  listener: RequestListener,
  { onDrop = () => undefined, isProxy = () => false }: ServerOptions = {},
): Server {
  const connections = createConnections();
  const reader = readInTurn(connections);
  const { neighborhoods } = connections;
  const places = boundAddresses({ neighborhoods, isProxy, reader, onDrop });
  const watchBody = limitBodies((socket) =>
    endConnection(socket, { status: 400, message: getMessage('ERR_HTTP_REQUEST_TIMEOUT') }),
  );
  const runPipelined = runInTurn(connections, reader, {
    run: (request, response) => {
      listener(request, response);
      reader.note(request, response);
      watchBody(request, response);
    },
    onEnd: (connection, { request }) => connection.know(findState(request)?.caller !== undefined),
  });
  const server = createServer(LIMITS, serve);
  function serve(request: IncomingMessage, response: ServerResponse): void {
    limitChunks(request, response, () => refuseChunks(request, response));
    runPipelined(request, response);
  }
  limitConnections(server, onDrop);
  server.maxHeadersCount = 100;
  server.maxRequestsPerSocket = 0;
  // Express handles these like any other request.
  server.on('checkExpectation', serve);
  server.on('connection', (socket) => places.enter(connections.open(socket)));
  server.once('close', places.stop);
  server.on('connect', (_request, socket) =>
    endConnection(socket as Socket, { status: 404, message: 'Not found.' }),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A connection on which nothing was sent is closed without a word: the client would take it for the response to its next request.
    const isUnused = (socket as Socket).bytesRead === 0;
    if (error.code === 'ECONNRESET' || isUnused || !socket.writable || hasBegunToAnswer(socket as Socket)) {
      socket.destroy();
      return;
    }
    endConnection(socket as Socket, { status: 400, message: getMessage(error.code) });
  });
  return server;
}

/** Returns true where a response has begun on a connection. A second one must not begin inside of it. */
function hasBegunToAnswer(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as { _httpMessage?: { headersSent?: boolean } | null };
  return answer?.headersSent === true;
}

/** Ends the connection of a body in too many chunks, with an answer where its request has none and no other is before it. */
function refuseChunks({ socket }: IncomingMessage, response: ServerResponse): void {
  const message = 'The body comes in too many small chunks: send at least 64 bytes in each on the average.';
  endConnection(
    socket,
    response.socket === socket && !response.headersSent ? { status: 400, message } : null,
  );
}

function getMessage(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return `The URL and the headers are larger than ${MAX_HEADER_BYTES / 1024} KiB.`;
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return 'The request did not arrive in time.';
  }
  return 'The request is not valid HTTP.';
}
