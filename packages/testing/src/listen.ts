import type { AddressInfo, Server, Socket } from 'node:net';

/** A server of a test that listens on this machine. */
export interface Listening {
  readonly port: number;
  readonly hostPort: string;
  readonly url: string;
  /** Connections so far. */
  readonly connections: () => number;
  /** Connections that are open. */
  readonly open: () => number;
  readonly endAll: () => void;
  /** Ends all connections too. */
  readonly close: () => Promise<void>;
}

/** Lets a server listen, on a free port of 127.0.0.1 unless told otherwise. */
export async function listen(
  server: Server,
  { host = '127.0.0.1', port: wanted = 0 } = {},
): Promise<Listening> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(wanted, host, resolve));
  const { port } = server.address() as AddressInfo;
  const hostPort = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const endAll = (): void => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  return {
    port,
    hostPort,
    url: `http://${hostPort}`,
    connections: () => connections,
    open: () => sockets.size,
    endAll,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        endAll();
      }),
  };
}
