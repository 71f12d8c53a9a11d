import type { Socket } from 'node:net';

/** Open connection, and what receives its bytes. */
export interface Link {
  readonly socket: Socket;
  /** Receives bytes for the request that has the connection; null while it has none. Returns false to stop the reading. */
  receive: ((bytes: Buffer) => boolean) | null;
}

/** Connections that no request has. */
export interface IdleConnections {
  /** Keeps a connection for later requests; `serverMs` is how long the server says that it keeps it. */
  readonly put: (name: string, link: Link, serverMs: number | null) => void;
  /** Returns whether there is a connection of that name. */
  readonly has: (name: string) => boolean;
  /** Takes the connection that was used last, if it is still open. A costly request gets only one that its server surely keeps open. */
  readonly take: (name: string, isCostly: boolean) => Promise<Link | null>;
}

interface Idle {
  readonly link: Link;
  readonly since: number;
  /** Age up to which a costly request may use it. */
  readonly costlyMs: number;
  readonly timer: NodeJS.Timeout;
  readonly onClose: () => void;
}

const IDLE_MS = 15_000;
/**
 * Servers that don't say how long they keep a connection rarely end it within a second. Half of that is left for the way and
 * busy machines.
 */
const COSTLY_MS = 500;
/** A server's own time counts from when it answered, which was earlier. */
const MARGIN_MS = 1_000;
/** Idle connections of a process hold memory and descriptors. */
const MAX_IDLE = 1_024;

/** Creates the store of idle connections. Each ends after 15 s, or before its server ends it. */
export function createIdleConnections(): IdleConnections {
  const byName = new Map<string, Idle[]>();
  let count = 0;

  const remove = (name: string, idle: Idle): void => {
    const all = byName.get(name) ?? [];
    const at = all.indexOf(idle);
    if (at < 0) {
      return;
    }
    all.splice(at, 1);
    count -= 1;
    clearTimeout(idle.timer);
    idle.link.socket.off('close', idle.onClose);
    if (all.length === 0) {
      byName.delete(name);
    }
  };
  const end = (name: string, idle: Idle): void => {
    remove(name, idle);
    idle.link.socket.destroy();
  };
  const endOldest = (): void => {
    // Names stand in the order in which they got their first connection.
    for (const [name, [oldest]] of byName) {
      if (oldest) {
        end(name, oldest);
      }
      return;
    }
  };

  return {
    put: (name, link, serverMs) => {
      const { socket } = link;
      if (!isOpen(socket)) {
        socket.destroy();
        return;
      }
      const keptMs = serverMs === null ? IDLE_MS : Math.max(serverMs - MARGIN_MS, serverMs / 2);
      const timer = setTimeout(() => end(name, idle), Math.min(IDLE_MS, keptMs)).unref();
      const costlyMs = serverMs === null ? COSTLY_MS : serverMs / 2;
      const onClose = (): void => remove(name, idle);
      const idle: Idle = { link, timer, costlyMs, onClose, since: performance.now() };
      byName.set(name, [...(byName.get(name) ?? []), idle]);
      count += 1;
      socket.once('close', onClose);
      socket.unref();
      if (count > MAX_IDLE) {
        endOldest();
      }
    },
    has: (name) => byName.has(name),
    take: async (name, isCostly) => {
      for (let idle = byName.get(name)?.at(-1); idle; idle = byName.get(name)?.at(-1)) {
        const { link } = idle;
        if (isCostly && isTooOld(idle)) {
          return null;
        }
        remove(name, idle);
        await readWhatArrived();
        // That may have taken long.
        if (isOpen(link.socket) && !(isCostly && isTooOld(idle))) {
          link.socket.ref();
          return link;
        }
        link.socket.destroy();
      }
      return null;
    },
  };
}

function isTooOld({ since, costlyMs }: Idle): boolean {
  return performance.now() - since >= costlyMs;
}

function isOpen({ destroyed, readable, writable, readableEnded }: Socket): boolean {
  return !destroyed && readable && writable && !readableEnded;
}

/** Lets the process read what has arrived by now, such as the end of a connection: that takes one whole turn of the event loop. */
function readWhatArrived(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
