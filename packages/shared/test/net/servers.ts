import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';

/** A server of one test: what it saw, and how to end it. */
export interface TestServer {
  readonly port: number;
  readonly origin: string;
  readonly connections: () => number;
  readonly open: () => number;
  /** Closes all connections. */
  readonly endAll: () => void;
  /** Returns the text that all connections sent so far. */
  readonly received: () => string;
  readonly close: () => Promise<void>;
}

async function listen(server: Server, host: string, keep: boolean, givenPort = 0): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let received = '';
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    if (keep) {
      socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    }
  });
  await new Promise<void>((resolve) => server.listen(givenPort, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    connections: () => connections,
    open: () => sockets.size,
    endAll: () => {
      for (const socket of sockets) {
        socket.destroy();
      }
    },
    received: () => received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}

/** Starts an HTTP server on a port, a free one unless given. */
export const startHttp = (handler: RequestListener, host = '127.0.0.1', port = 0) =>
  listen(createHttpServer(handler), host, false, port);

/** Starts an HTTPS server with a certificate on a free port. */
export const startTls = async (options: ServerOptions, handler: RequestListener): Promise<TestServer> => {
  const server = await listen(createHttpsServer(options, handler), '127.0.0.1', false);
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
  const server = await listen(createHttpsServer({ ...terms, pskCallback: () => psk }, handler), host, false);
  return { ...server, origin: server.origin.replace('http:', 'https:') };
};

/** Starts a TCP server on a free port that does what the test says with each connection. */
export const startTcp = (onSocket: (socket: Socket) => void, host = '127.0.0.1') =>
  listen(createTcpServer(onSocket), host, true);

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
