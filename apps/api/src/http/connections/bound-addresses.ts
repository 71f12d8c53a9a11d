import type { Connection, Neighborhood } from './connection.js';
import type { Reader } from './read-in-turn.js';

/** Bounds of what connections take before anybody is known. */
export interface AddressBounds {
  /** Connections of an address whose last request had no valid key. As many more wait for their places. */
  readonly perAddress: number;
  /** Bytes of unfinished headers in a process. */
  readonly headerBytes: number;
  /** Time between two looks at those that wait, and at unfinished headers, in milliseconds. */
  readonly everyMs: number;
  /** Rest after which a connection may give way, in milliseconds: before that its client is likely to send. */
  readonly restMs: number;
}

/** Parts of a server that the bounds need. */
export interface AddressDeps {
  readonly neighborhoods: ReadonlyMap<string, Neighborhood>;
  /** Returns true for the address of a proxy, whose connections are those of many clients. */
  readonly isProxy: (address: string) => boolean;
  readonly reader: Pick<Reader, 'open' | 'admit'>;
  /** Called when a connection is closed for want of a place. */
  readonly onDrop: () => void;
}

/** Places of connections by address. */
export interface AddressPlaces {
  /** Gives a new connection a place, or makes it wait for one, or closes it. */
  readonly enter: (connection: Connection) => void;
  readonly stop: () => void;
}

const BOUNDS: AddressBounds = {
  perAddress: 1_024,
  headerBytes: 32 * 1024 * 1024,
  everyMs: 250,
  restMs: 1_000,
};
/** Longest headers of a request, with its target, in bytes. */
export const MAX_HEADER_BYTES = 16 * 1024;

/** Bounds the connections of an address, and the bytes of headers that are not finished. */
export function boundAddresses(
  { neighborhoods, isProxy, reader, onDrop }: AddressDeps,
  { perAddress, headerBytes, everyMs, restMs }: AddressBounds = BOUNDS,
): AddressPlaces {
  const waiting = new Map<Neighborhood, Set<Connection>>();
  const taken = new Map<Neighborhood, number>();

  const count = (neighborhood: Neighborhood, more: number): void => {
    const places = (taken.get(neighborhood) ?? 0) + more;
    if (places > 0) {
      taken.set(neighborhood, places);
    } else {
      taken.delete(neighborhood);
    }
  };
  const take = (connection: Connection): void => {
    connection.hasPlace = true;
    // It may have waited, and is not read yet.
    connection.restsSince = performance.now();
    count(connection.neighborhood, 1);
  };
  const leave = (connection: Connection): void => {
    if (connection.hasPlace) {
      connection.hasPlace = false;
      count(connection.neighborhood, -1);
    }
  };
  /** Returns a connection that gives way: the one that has rested longest, else one whose headers do not come to their end. */
  const findResting = (neighborhood: Neighborhood): Connection | undefined => {
    const before = performance.now() - restMs;
    let unfinished: Connection | undefined;
    for (const connection of neighborhood.connections) {
      const { hasPlace, running, isHeld, restsSince } = connection;
      if (hasPlace && running.size === 0 && !isHeld && restsSince < before) {
        if (getUnfinishedBytes(connection) === 0) {
          return connection;
        }
        unfinished ??= connection;
      }
    }
    return unfinished;
  };
  const hasPlace = (neighborhood: Neighborhood): boolean => {
    if ((taken.get(neighborhood) ?? 0) < perAddress) {
      return true;
    }
    const resting = findResting(neighborhood);
    if (resting) {
      leave(resting);
      resting.socket.destroy();
    }
    return resting !== undefined;
  };
  const serve = (neighborhood: Neighborhood): void => {
    const queue = waiting.get(neighborhood);
    for (const connection of queue ?? []) {
      if (!hasPlace(neighborhood)) {
        return;
      }
      queue?.delete(connection);
      take(connection);
      reader.admit(connection);
    }
    waiting.delete(neighborhood);
  };
  const know = (connection: Connection, isKnown: boolean): void => {
    if (connection.hasPlace && isKnown) {
      leave(connection);
      serve(connection.neighborhood);
    } else if (!connection.hasPlace && !isKnown && !connection.socket.destroyed) {
      take(connection);
    }
  };
  const boundHeaders = (): void => {
    const resting = [...neighborhoods.values()]
      .flatMap(({ connections }) => [...connections])
      .filter(({ running }) => running.size === 0);
    // Each has less than one request may have.
    if (resting.length * MAX_HEADER_BYTES <= headerBytes) {
      return;
    }
    const sums = new Map<Neighborhood, number>();
    let left = -headerBytes;
    for (const connection of resting) {
      const bytes = getUnfinishedBytes(connection);
      left += bytes;
      sums.set(connection.neighborhood, (sums.get(connection.neighborhood) ?? 0) + bytes);
    }
    const largest = (one: Connection, other: Connection): number =>
      (sums.get(other.neighborhood) ?? 0) - (sums.get(one.neighborhood) ?? 0);
    for (const connection of left > 0 ? resting.sort(largest) : []) {
      const bytes = getUnfinishedBytes(connection);
      if (left > 0 && bytes > 0) {
        left -= bytes;
        connection.socket.destroy();
      }
    }
  };
  const timer = setInterval(() => {
    for (const neighborhood of waiting.keys()) {
      serve(neighborhood);
    }
    boundHeaders();
  }, everyMs);
  timer.unref();

  return {
    enter: (connection) => {
      const { neighborhood, socket } = connection;
      reader.open(connection);
      if (isProxy(connection.address)) {
        reader.admit(connection);
        return;
      }
      connection.know = (isKnown) => know(connection, isKnown);
      socket.once('close', () => {
        leave(connection);
        waiting.get(neighborhood)?.delete(connection);
        serve(neighborhood);
      });
      if (hasPlace(neighborhood)) {
        take(connection);
        reader.admit(connection);
        return;
      }
      const queue = waiting.get(neighborhood) ?? new Set();
      if (queue.size >= perAddress) {
        onDrop();
        socket.destroy();
        return;
      }
      waiting.set(neighborhood, queue.add(connection));
    },
    stop: () => clearInterval(timer),
  };
}

function getUnfinishedBytes({ socket, restBytes }: Connection): number {
  return socket.bytesRead - restBytes;
}
