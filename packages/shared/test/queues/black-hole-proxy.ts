import { connect, createServer, type Socket } from 'node:net';

/** A proxy in front of Redis that can swallow connections without closing them. */
export interface BlackHoleProxy {
  readonly url: string;
  /** From now on every connection, old or new, is swallowed unless its client calls itself by this name. */
  readonly swallowAllBut: (clientName: string) => void;
  readonly close: () => Promise<void>;
}

/** Starts the proxy on a free port. */
export async function blackHoleProxy(targetPort: number): Promise<BlackHoleProxy> {
  const sockets = new Set<Socket>();
  let spared: string | null = null;
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    let greeting = '';
    const isSwallowed = (): boolean => spared !== null && !greeting.includes(spared);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.on('data', (chunk) => {
        if (from === client && greeting.length < 1_000) greeting += chunk.toString('latin1');
        if (!isSwallowed()) to.write(chunk);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `redis://127.0.0.1:${port}`,
    swallowAllBut: (clientName) => {
      spared = clientName;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
