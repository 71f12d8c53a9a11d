import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** One TCP address that leads to a server which may be replaced. */
export interface MovingAddress {
  readonly port: number;
  /** Ends every connection and leads new ones to another port of this machine. */
  readonly moveTo: (port: number) => void;
  readonly close: () => Promise<void>;
}

/** Opens the address; it leads to `port` first. */
export async function openMovingAddress(port: number): Promise<MovingAddress> {
  let target = port;
  const sockets = new Set<Socket>();
  const endAll = (): void => {
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    moveTo: (next) => {
      target = next;
      endAll();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        endAll();
      }),
  };
}
