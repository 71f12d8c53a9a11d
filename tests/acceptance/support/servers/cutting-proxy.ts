import net from 'node:net';
import { listen } from './start-server.js';

/** Proxy that ends a connection when a response does not begin in time, as those do that stand before most services. */
export type CuttingProxy = Awaited<ReturnType<typeof startCuttingProxy>>;

/** Starts a proxy to the host and port of a URL; a response must begin within `cutAfterMs` of its request. */
export async function startCuttingProxy(target: string, cutAfterMs: number) {
  const { hostname, port } = new URL(target);
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
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        clearTimeout(timer);
        to.destroySoon();
      });
    }
  });
  const { origin: url, close } = await listen(server);
  /** Number of connections that it has ended. */
  const countCuts = () => cuts;
  return { url, cuts: countCuts, close };
}
