import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { type Listening, listen } from '@image-gateway/testing';

/** A server of one test: what it saw, and how to end it. */
export interface TestServer extends Listening {
  readonly origin: string;
  /** Returns the text that all connections sent so far. */
  readonly received: () => string;
}

async function start(server: Server, host: string, keep: boolean, port = 0): Promise<TestServer> {
  let received = '';
  if (keep) {
    server.on('connection', (socket: Socket) => {
      socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    });
  }
  const listening = await listen(server, { host, port });
  return { ...listening, origin: listening.url, received: () => received };
}

/** Starts an HTTP server on a port, a free one unless given. */
export const startHttp = (handler: RequestListener, host = '127.0.0.1', port = 0) =>
  start(createHttpServer(handler), host, false, port);

/** Starts an HTTPS server with a certificate on a free port. */
export const startTls = async (options: ServerOptions, handler: RequestListener): Promise<TestServer> => {
  const server = await start(createHttpsServer(options, handler), '127.0.0.1', false);
  return { ...server, origin: server.origin.replace('http:', 'https:') };
};

/** Cipher and key that both sides know, so that TLS needs no certificate. */
export const SHARED_KEY_TLS = {
  ciphers: 'PSK-AES256-GCM-SHA384',
  maxVersion: 'TLSv1.2' as const,
  psk: Buffer.alloc(32, 7),
};

/** Starts an HTTPS server on a free port for clients that know the shared key. */
export const startHttps = async (handler: RequestListener, host = '127.0.0.1'): Promise<TestServer> => {
  const { psk, ...terms } = SHARED_KEY_TLS;
  const server = await start(createHttpsServer({ ...terms, pskCallback: () => psk }, handler), host, false);
  return { ...server, origin: server.origin.replace('http:', 'https:') };
};

/** Starts a TCP server on a free port that does what the test says with each connection. */
export const startTcp = (onSocket: (socket: Socket) => void, host = '127.0.0.1') =>
  start(createTcpServer(onSocket), host, true);

/** Answers the first bytes of a request with some raw bytes and leaves the connection open. */
export const raw = (text: string) => (socket: Socket) => socket.once('data', () => socket.write(text));

/** Writes something again and again, as fast as the other side reads, until the connection ends. */
export const flood = (start: string, chunk: string) => (socket: Socket) => {
  const pump = (): void => {
    while (!socket.destroyed && socket.write(chunk)) {}
  };
  socket.once('data', () => {
    socket.write(start);
    socket.on('drain', pump);
    pump();
  });
};
