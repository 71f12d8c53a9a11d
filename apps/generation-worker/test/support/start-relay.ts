import type { AddressInfo } from 'node:net';
import net from 'node:net';

/** A TCP relay that can fall silent, as a server does that is frozen or behind a broken network. */
export interface Relay {
  readonly port: number;
  /** Passes nothing on any more, in either direction; connections stay open. */
  readonly fallSilent: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a relay to the host and port of a URL. */
export async function startRelay(target: URL): Promise<Relay> {
  const sockets = new Set<net.Socket>();
  let silent = false;
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => void (silent || to.write(data)));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    fallSilent: () => {
      silent = true;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
