import net from 'node:net';

/** Whether nobody listens on a port of an address (0: any port). */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** A port that nobody listens on: the wanted one if it is free, else the next free one after it; any without a wish. */
export async function findFreePort(wanted = 0, taken: ReadonlySet<number> = new Set()): Promise<number> {
  if (wanted > 0) {
    for (let port = wanted; port < Math.min(wanted + 200, 65_536); port += 1) {
      if (!taken.has(port) && (await isPortFree(port))) return port;
    }
  }
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address !== null && typeof address === 'object'
          ? resolve(address.port)
          : reject(new Error('no port')),
      );
    });
  });
}
