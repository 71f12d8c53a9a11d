import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSmall } from '../limit-bodies.js';
import type { Connection, Connections } from './connection.js';
import { createAddressTurns } from './create-address-turns.js';
import type { Reading } from './run-in-turn.js';

/** Bounds of reading. */
export interface TurnBounds {
  /** Connections that begin to be read in one turn of the event loop. */
  readonly perTurn: number;
  /** Requests with a large body that may be undecided: neither is their body read, nor have they an answer. */
  readonly undecided: number;
  /** Time after which a request counts no longer, in milliseconds; what waits longer is bounded elsewhere. */
  readonly ms: number;
  /** Pipelined requests of an address that wait while others of its connections are read. */
  readonly headsOfAddress: number;
  /** Those of all addresses. Over it only addresses without any are read, one connection in a turn, up to eight times as many. */
  readonly heads: number;
}

const BOUNDS: TurnBounds = { perTurn: 64, undecided: 256, ms: 100, headsOfAddress: 1_024, heads: 4_096 };
const MAX_HEADS_FACTOR = 8;

/** Reads connections in turns. */
export interface Reader extends Reading {
  /** Keeps a new connection unread until it is admitted. */
  readonly open: (connection: Connection) => void;
  /** Reads a new connection when its turn comes. */
  readonly admit: (connection: Connection) => void;
  /** Takes note of a request that begins. */
  readonly note: (request: IncomingMessage, response: ServerResponse) => void;
}

/**
 * Reads connections in turns of addresses. With the headers of a request come up to 64 KiB. They are of its body, which stays
 * in memory until somebody decides about it, or of further requests. Thousands of connections at once would fill it; those that
 * wait here have their bytes in the kernel.
 */
export function readInTurn(connections: Connections, bounds: Partial<TurnBounds> = {}): Reader {
  const { perTurn, undecided: most, ms, headsOfAddress, heads: mostHeads } = { ...BOUNDS, ...bounds };
  const waiting = createAddressTurns<Connection>();
  let undecided = 0;
  let begun = 0;

  let isSaturated = false;

  const { heads, neighborhoods } = connections;
  const hasRoom = (): boolean => {
    isSaturated &&= heads.moving >= mostHeads;
    const hasTurn = isSaturated
      ? begun === 0 && heads.moving < MAX_HEADS_FACTOR * mostHeads
      : begun < perTurn;
    return hasTurn && undecided < most;
  };
  const mayServe = (address: string): boolean => {
    const neighborhood = neighborhoods.get(address);
    if (!neighborhood) {
      return true;
    }
    const { moving } = neighborhood.heads;
    neighborhood.isSaturated &&= moving >= headsOfAddress;
    return isSaturated ? moving === 0 : !neighborhood.isSaturated;
  };
  const begin = (): void => {
    if (begun === 0) {
      setImmediate(() => {
        begun = 0;
        serve();
      });
    }
    begun++;
  };
  const release = (connection: Connection): void => {
    connection.isHeld = false;
    if (connection.isWanted && !connection.socket.destroyed) {
      begin();
      connection.socket.resume();
      // As in `stop`: a socket that flows already emits nothing.
      connection.socket.emit('resume');
    }
  };
  const serve = (): void => {
    while (hasRoom()) {
      const connection = waiting.take(mayServe);
      if (!connection) {
        return;
      }
      release(connection);
    }
  };
  const want = (connection: Connection): void => {
    waiting.add(connection.neighborhood.address, connection);
    serve();
  };
  const hold = (connection: Connection): void => {
    if (!connection.isHeld) {
      connection.isHeld = true;
      connection.isWanted = connection.socket.readableFlowing !== false;
      stop(connection);
    }
  };
  const holdAll = (addresses: Iterable<{ readonly connections: ReadonlySet<Connection> }>): void => {
    for (const { connections: others } of addresses) {
      for (const other of others) {
        if (!other.isHeld) {
          hold(other);
          waiting.add(other.neighborhood.address, other);
        }
      }
    }
  };

  return {
    hold,
    want,
    serve,
    admit: want,
    open: (connection) => {
      connection.socket.on('resume', () => {
        if (connection.isHeld) {
          connection.isWanted = true;
          stop(connection);
        }
      });
      hold(connection);
    },
    holdOthers: ({ neighborhood }) => {
      // Once, when a bound is reached: afterwards each is read in its turn.
      if (heads.moving >= mostHeads && !isSaturated) {
        isSaturated = true;
        holdAll(neighborhoods.values());
      } else if (neighborhood.heads.moving >= headsOfAddress && !neighborhood.isSaturated) {
        neighborhood.isSaturated = true;
        holdAll([neighborhood]);
      }
    },
    note: (request, response) => {
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
    },
  };
}

function stop({ socket }: Connection): void {
  socket.pause();
  // A socket that is paused and was told to flow in the same turn emits nothing, and would be read.
  socket.emit('pause');
}
