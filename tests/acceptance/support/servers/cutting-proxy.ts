import net, { type AddressInfo } from 'node:net';

/** Proxy that ends a connection when a response does not begin in time, as those do that stand before most services. */
export interface CuttingProxy {
  url: string;
  /** Number of connections that it has ended. */
  cuts(): number;
  close(): Promise<void>;
}

/** Starts a proxy to the host and port of a URL; a response must begin within `cutAfterMs` of its request. */
export async function startCuttingProxy(target: string, cutAfterMs: number): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<net.Socket>();
  let cuts = 0;
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), hostname);
    let timer: NodeJS.Timeout | undefined;
    let isCut = false;
    const cut = (): void => {
      isCut = true;
      // A response on its way is passed on. Its sender counts it as delivered, so that a client that lost it would buy another.
      far.end();
    };
    near.on('data', () => {
      timer ??= setTimeout(cut, cutAfterMs);
    });
    far.on('data', () => {
      isCut = false;
      clearTimeout(timer);
      timer = undefined;
    });
    far.on('close', () => {
      cuts += Number(isCut);
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        clearTimeout(timer);
        sockets.delete(from);
        to.destroySoon();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts: () => cuts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}
