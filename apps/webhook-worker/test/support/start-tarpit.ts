import { createServer, type Socket } from 'node:net';

/** Receivers that accept connections and never answer. */
export interface Tarpit {
  /** A URL for each, no two with the same `host:port`. */
  readonly urls: readonly string[];
  readonly hostPorts: readonly string[];
  /** Connections that are open now. */
  readonly open: () => number;
  readonly close: () => Promise<void>;
}

/** Starts `count` receivers that hang: one server that is reached by that many loopback addresses. */
export async function startTarpit(count: number): Promise<Tarpit> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const hostPorts = Array.from(
    { length: count },
    (_, i) => `127.1.${Math.floor(i / 250)}.${1 + (i % 250)}:${port}`,
  );
  return {
    urls: hostPorts.map((hostPort) => `http://${hostPort}/hook`),
    hostPorts,
    open: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) {
          socket.destroy();
        }
        server.close(() => resolve());
      }),
  };
}
