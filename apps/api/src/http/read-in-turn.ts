import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { isSmall } from './limit-bodies.js';

/** Bounds of first reads. */
export interface TurnBounds {
  /** New connections that are read for the first time in one turn of the event loop. */
  readonly perTurn: number;
  /** Requests with a large body that may be undecided: neither is their body read, nor have they an answer. */
  readonly undecided: number;
  /** Time after which a request counts no longer, in milliseconds; what waits longer is bounded elsewhere. */
  readonly ms: number;
}

const BOUNDS: TurnBounds = { perTurn: 64, undecided: 256, ms: 100 };

/**
 * Reads new connections in turns of addresses. With the headers of a request come up to 64 KiB of its body, which stay in memory until
 * somebody decides about it. Thousands of connections at once would fill it; those that wait here have their bytes in the kernel.
 */
export function readInTurn(server: Server, { perTurn, undecided: most, ms }: TurnBounds = BOUNDS): void {
  const waiting = new Map<string, Socket[]>();
  let undecided = 0;
  let begun = 0;

  const hasRoom = (): boolean => begun < perTurn && undecided < most;
  const begin = (): void => {
    if (begun === 0) {
      setImmediate(() => {
        begun = 0;
        serve();
      });
    }
    begun++;
  };
  const serve = (): void => {
    for (const [address, sockets] of waiting) {
      if (!hasRoom()) {
        return;
      }
      const socket = sockets.shift();
      waiting.delete(address);
      if (sockets.length > 0) {
        waiting.set(address, sockets);
      }
      if (socket && !socket.destroyed) {
        begin();
        socket.resume();
      }
    }
  };

  server.on('connection', (socket) => {
    if (waiting.size === 0 && hasRoom()) {
      begin();
      return;
    }
    const address = socket.remoteAddress ?? '';
    const others = waiting.get(address) ?? [];
    others.push(socket);
    waiting.set(address, others);
    // The server of Node makes it flow in this turn.
    process.nextTick(() => socket.pause());
  });
  server.on('request', (request, response) => {
    if (isSmall(request)) {
      return;
    }
    const { socket } = request;
    undecided++;
    const end = (): void => {
      clearTimeout(timer);
      socket.off('resume', end);
      socket.off('close', end);
      response.off('finish', end);
      undecided--;
      serve();
    };
    const timer = setTimeout(end, ms);
    socket.once('resume', end);
    socket.once('close', end);
    response.once('finish', end);
  });
}
