import type { RequestListener } from 'node:http';
import { type Connection, type Connections, getConnection, type Head, MAX_RUNNING } from './connection.js';
import { createAddressTurns } from './create-address-turns.js';

const MAX_LISTENERS = 20;
/** Pipelined requests that begin in one turn of the event loop. */
const PER_TURN = 16;

/** Most requests that wait behind others which nobody reads, of one address and of all. Each takes about 2 kB. */
const MAX_STUCK = { address: 16_384, total: 49_152 } as const;

/** Control of the reading of connections. */
export interface Reading {
  readonly hold: (connection: Connection) => void;
  /** Stops the reading of other connections once too many requests wait. */
  readonly holdOthers: (connection: Connection) => void;
  /** Reads a connection again that is held, when its turn comes. */
  readonly want: (connection: Connection) => void;
  /** Reads those whose turn has come. */
  readonly serve: () => void;
}

/** Events of requests. */
export interface RunEvents {
  readonly run: RequestListener;
  readonly onEnd: (connection: Connection, head: Head) => void;
}

/**
 * Runs at most sixteen requests of a connection at a time. One read of its socket may bring hundreds: those
 * wait as heads, and the connection is not read meanwhile. They begin in turns of addresses and connections, a few in a turn of
 * the event loop.
 */
export function runInTurn(connections: Connections, reading: Reading, events: RunEvents): RequestListener {
  const ready = createAddressTurns<Connection>();
  let isScheduled = false;

  const offer = (connection: Connection): void => {
    if (connection.heads.length === 0 || connection.running.size >= MAX_RUNNING) {
      return;
    }
    ready.add(connection.neighborhood.address, connection);
    schedule();
  };
  const schedule = (): void => {
    if (!isScheduled && !ready.isEmpty()) {
      isScheduled = true;
      setImmediate(serve);
    }
  };
  const countAgain = (connection: Connection): void => {
    if (connection.heads.length > 0 || connection.counted.moving > 0 || connection.counted.stuck > 0) {
      connections.count(connection);
      boundStuck(connections, connection);
    }
  };
  const begin = (connection: Connection, head: Head): void => {
    const { request, response } = head;
    // Each layer listens to its end.
    response.setMaxListeners(MAX_LISTENERS);
    connection.running.add(response);
    countAgain(connection);
    response.once('close', () => {
      connection.running.delete(response);
      countAgain(connection);
      if (connection.running.size === 0) {
        connection.restsSince = performance.now();
        connection.restBytes = connection.socket.bytesRead;
      }
      events.onEnd(connection, head);
      offer(connection);
    });
    events.run(request, response);
  };
  const serve = (): void => {
    isScheduled = false;
    for (let begun = 0; begun < PER_TURN; begun++) {
      const connection = ready.take();
      if (!connection) {
        break;
      }
      const head = connection.heads.shift();
      if (!head) {
        continue;
      }
      if (connection.heads.length === 0) {
        reading.want(connection);
      }
      begin(connection, head);
      offer(connection);
    }
    schedule();
    reading.serve();
  };

  return (request, response) => {
    const connection = getConnection(request.socket);
    const head = { request, response };
    if (connection.running.size === 0 && connection.heads.length === 0) {
      begin(connection, head);
      return;
    }
    connection.heads.push(head);
    connections.count(connection);
    reading.hold(connection);
    reading.holdOthers(connection);
    offer(connection);
  };
}

/** Ends the connection with the most requests that are stuck, of the address that has the most, once they take too much memory. */
function boundStuck({ heads, neighborhoods }: Connections, { neighborhood }: Connection): void {
  const { address, total } = MAX_STUCK;
  if (neighborhood.heads.stuck <= address && heads.stuck <= total) {
    return;
  }
  const worst = [...neighborhoods.values()].reduce((one, other) =>
    one.heads.stuck < other.heads.stuck ? other : one,
  );
  const [first] = [...worst.connections].sort((one, other) => other.counted.stuck - one.counted.stuck);
  first?.socket.destroy();
}
