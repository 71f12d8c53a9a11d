import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { toAddressKey } from '../address-limits.js';
import { toClientAddress } from '../client-address.js';

/** Request that was read and has not begun. */
export interface Head {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Connections of one address. */
export interface Neighborhood {
  /** Address as limits name it: of IPv6 a network. */
  readonly address: string;
  readonly connections: Set<Connection>;
  readonly heads: HeadCounts;
  /** True once all of its connections were held, until few enough requests wait. */
  isSaturated: boolean;
}

/** Most requests of one connection that run at a time. */
export const MAX_RUNNING = 16;

/** Requests that were read and have not begun. */
export interface HeadCounts {
  /** Those that begin in their turn. */
  moving: number;
  /** Those behind sixteen requests that run, which may take as long as their client reads nothing. */
  stuck: number;
}

/** Connection of a client. */
export interface Connection {
  readonly socket: Socket;
  /** Canonical address of the other end. */
  readonly address: string;
  readonly neighborhood: Neighborhood;
  /** Responses of the requests that have begun. */
  readonly running: Set<ServerResponse>;
  /** Requests that have not begun, in the order in which they came. */
  readonly heads: Head[];
  /** How they are counted. */
  readonly counted: HeadCounts;
  /** True while it counts for its address. */
  hasPlace: boolean;
  /** Notes whether its last request had a valid key. */
  know: (isKnown: boolean) => void;
  /** True while it is not read, whatever its requests ask for. */
  isHeld: boolean;
  /** True for a held connection that is read again when its turn comes. */
  isWanted: boolean;
  /** When its last request ended, or it was opened, on the clock of `performance.now()`. */
  restsSince: number;
  /** Bytes read until then. Bytes since are the beginning of a request. */
  restBytes: number;
}

// On the socket itself, as the state of a request is on the request.
const CONNECTION = Symbol('connection');
type WithConnection = Socket & { [CONNECTION]?: Connection };

/** Returns the connection of a socket; throws for one that did not come through the server. */
export function getConnection(socket: Socket): Connection {
  const connection = (socket as WithConnection)[CONNECTION];
  if (!connection) {
    throw new Error('the socket has no connection');
  }
  return connection;
}

/** Notes that a request has a valid key. A request that came through no server of ours has no connection. */
export function noteKnown({ socket }: { readonly socket: Socket | undefined }): void {
  const connection = socket && (socket as WithConnection)[CONNECTION];
  connection?.know(true);
}

/** Connections of a process, by address. */
export interface Connections {
  readonly neighborhoods: ReadonlyMap<string, Neighborhood>;
  /** Those of all connections. */
  readonly heads: Readonly<HeadCounts>;
  /** Counts the requests of a connection again, which have become more or fewer, or stuck. */
  readonly count: (connection: Connection) => void;
  /** Begins to count a connection, until it is closed. */
  readonly open: (socket: Socket) => Connection;
}

/** Creates the register of connections. An IPv6 network counts as one address. */
export function createConnections(): Connections {
  const neighborhoods = new Map<string, Neighborhood>();
  const total: HeadCounts = { moving: 0, stuck: 0 };
  const count = ({ heads, running, counted, neighborhood }: Connection): void => {
    const isStuck = running.size >= MAX_RUNNING;
    const [moving, stuck] = [isStuck ? 0 : heads.length, isStuck ? heads.length : 0];
    for (const sum of [total, neighborhood.heads]) {
      sum.moving += moving - counted.moving;
      sum.stuck += stuck - counted.stuck;
    }
    counted.moving = moving;
    counted.stuck = stuck;
  };
  return {
    neighborhoods,
    heads: total,
    count,
    open: (socket) => {
      const address = toClientAddress(socket.remoteAddress);
      const key = toAddressKey(address);
      const neighborhood = neighborhoods.get(key) ?? {
        address: key,
        connections: new Set(),
        heads: { moving: 0, stuck: 0 },
        isSaturated: false,
      };
      neighborhoods.set(key, neighborhood);
      const connection: Connection = {
        socket,
        address,
        neighborhood,
        running: new Set(),
        heads: [],
        counted: { moving: 0, stuck: 0 },
        hasPlace: false,
        know: () => undefined,
        isHeld: false,
        isWanted: false,
        restsSince: performance.now(),
        restBytes: 0,
      };
      (socket as WithConnection)[CONNECTION] = connection;
      neighborhood.connections.add(connection);
      socket.once('close', () => {
        neighborhood.connections.delete(connection);
        connection.heads.length = 0;
        count(connection);
        setImmediate(() => closeResponses(connection));
        if (neighborhood.connections.size === 0) {
          neighborhoods.delete(key);
        }
      });
      return connection;
    },
  };
}

/** Tells responses that their connection is closed. Before Node 24 nobody tells those that were behind another one. */
function closeResponses({ running }: Connection): void {
  for (const response of running) {
    if (!response.closed) {
      response.destroyed = true;
      response.emit('close');
    }
  }
}
