import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.js';

/** A TCP relay that can fall silent, as a server does that is frozen or behind a broken network. */
export type Relay = Awaited<ReturnType<typeof startRelay>>;

const GREETING_BYTES = 1_000;

/** Starts a relay to the host and port of a URL. */
export async function startRelay(target: string) {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(target);
  const forgotten = new WeakSet<Socket>();
  let silent = false;
  let spared: string | undefined;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    let greeting = '';
    const isSpared = (): boolean => spared !== undefined && greeting.includes(spared);
    const isPassed = (): boolean => !forgotten.has(near) && (!silent || isSpared());
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (data) => {
        if (from === near && greeting.length < GREETING_BYTES) {
          greeting += data.toString('latin1');
        }
        if (isPassed()) {
          to.write(data);
        }
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const { hostPort, close } = await listen(server);
  const through = Object.assign(new URL(target), { host: hostPort });
  return {
    /** The target's URL, with the relay's host and port in it. */
    url: through.href,
    /**
     * Passes nothing on any more, in either direction, on old and on new connections; they stay open. Only connections whose
     * first bytes hold `except` (a Redis client says its name there) go on.
     */
    fallSilent: ({ except }: { readonly except?: string } = {}) => {
      silent = true;
      spared = except;
    },
    /** Passes nothing on any more over the connections that there are, as a firewall does that has forgotten them; new ones work. */
    forget: () => {
      for (const socket of sockets) {
        forgotten.add(socket);
      }
    },
    close,
  };
}
