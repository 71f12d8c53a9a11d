import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createWireState, type WireMode } from './wire-state.js';

/** A TCP proxy in front of one service for one process, that can be told to fail. */
export interface Wire {
  /** The service's URL with the proxy's host and port in it. */
  readonly url: string;
  /** How it behaves from now on, towards old and new connections. */
  readonly set: (mode: WireMode) => void;
  /** Ends every connection with a reset; says how many there were. */
  readonly resetAll: () => number;
  /** Cuts connections that send a text: once the answer begins to arrive, or instead of passing the text on. */
  readonly cutOn: (text: string, when: 'before' | 'after', times: number) => void;
  /** Shows all that is sent to the service, piece by piece, until the returned function is called. */
  readonly watch: (onData: (data: Buffer) => void) => () => void;
  /** How many connections `cutOn` has cut so far. */
  readonly cuts: () => number;
  readonly close: () => Promise<void>;
}

/** Opens a proxy to the host and port of a URL. */
export async function openWire(target: string): Promise<Wire> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly [near: Socket, far: Socket]>();
  const state = createWireState();
  const watchers = new Set<(data: Buffer) => void>();
  const server = createServer((near) => {
    if (state.mode().kind === 'refuse') {
      near.resetAndDestroy();
      return;
    }
    const far = connect(Number(port), hostname);
    const pair = [near, far] as const;
    pairs.add(pair);
    const link = state.link(() => {
      for (const socket of pair) {
        socket.resetAndDestroy();
      }
    });
    near.on('data', (data) => {
      for (const watch of watchers) {
        watch(data);
      }
      link.pass(near, far, data, 'there');
    });
    far.on('data', (data) => link.pass(far, near, data, 'back'));
    for (const [from, to] of [pair, [far, near] as const]) {
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.on('end', () => to.end());
      from.on('close', () => {
        pairs.delete(pair);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(target);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const resetAll = (): number => {
    const count = pairs.size;
    for (const pair of pairs) {
      for (const socket of pair) {
        socket.resetAndDestroy();
      }
    }
    return count;
  };
  return {
    url: through.href.replace(/\/$/, ''),
    set: (mode) => {
      state.set(mode);
      if (mode.kind === 'refuse' || mode.kind === 'reset') {
        resetAll();
      }
    },
    resetAll,
    cutOn: state.cutOn,
    watch: (onData) => {
      watchers.add(onData);
      return () => void watchers.delete(onData);
    },
    cuts: state.cuts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        resetAll();
      }),
  };
}
