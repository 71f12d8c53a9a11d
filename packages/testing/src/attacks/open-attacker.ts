import { Agent, request } from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Request whose body never ends. */
interface StalledRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Announced length of the body; a thousand bytes of it do not come. */
  readonly bytes: number;
}

/** Connection on which bytes are sent as they are. */
interface RawConnection {
  readonly text: string | Buffer;
  /** The answer is read, or never, or the connection is reset before its end. */
  readonly end: 'read' | 'starve' | 'reset';
}

/** Client that means harm, from addresses of its own, and counts what it is answered. */
export interface Attacker {
  /** Sends a request and counts its answer. */
  readonly post: (
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Buffer,
  ) => Promise<void>;
  /** Sends so many requests at a time, again after each pause, until the end. */
  readonly inWaves: (count: number, pauseMs: number, send: (n: number) => Promise<void>) => Promise<void>;
  /** Keeps so many connections with unfinished bodies, from so many addresses, until the end; each that is closed is opened again. */
  readonly stall: (count: number, addresses: number, build: (n: number) => StalledRequest) => Promise<void>;
  /** Keeps so many connections on which raw bytes were sent, from so many addresses, until the end; each that is closed is opened again. */
  readonly keepRaw: (count: number, addresses: number, build: (n: number) => RawConnection) => Promise<void>;
  /** How often each status, or code of an error, came. */
  readonly answers: () => Readonly<Record<string, number>>;
}

/** Bytes of an announced body that never come. */
const MISSING = 1_000;
const REOPEN_MS = 1_000;
/** Time for the answer to a connection that is then reset. */
const RESET_MS = 100;
/** Connections that are opened in one turn. */
const PER_TURN = 50;
const LOCAL = (n: number): string => `127.0.1.${1 + n}`;

/** Opens an attacker of an API. Requests under way are broken off at the signal. */
export function openAttacker(url: string, signal: AbortSignal): Attacker {
  const { hostname, port, host } = new URL(url);
  const counts: Record<string, number> = {};
  const count = (answer: string): void => {
    counts[answer] = (counts[answer] ?? 0) + 1;
  };
  const agent = new Agent({ keepAlive: true });
  const isOver = (): boolean => signal.aborted;
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined);

  const post: Attacker['post'] = (path, headers, body) =>
    new Promise((resolve) => {
      const outgoing = request(
        url + path,
        {
          method: 'POST',
          agent,
          signal,
          localAddress: LOCAL(0),
          headers: { 'content-length': String(Buffer.byteLength(body)), ...headers },
        },
        (incoming) => {
          count(String(incoming.statusCode));
          incoming.on('error', () => undefined);
          incoming.once('close', resolve);
          incoming.resume();
        },
      );
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        if (!isOver()) {
          count(error.code ?? error.message);
        }
        resolve();
      });
      outgoing.end(body);
    });

  const connect = (n: number, addresses: number, send: (socket: net.Socket) => void): Promise<void> =>
    new Promise((resolve) => {
      const socket = net.connect({ host: hostname, port: Number(port), localAddress: LOCAL(n % addresses) });
      const close = (): void => void socket.destroy();
      signal.addEventListener('abort', close, { once: true });
      socket.on('error', (error: NodeJS.ErrnoException) => !isOver() && count(error.code ?? error.message));
      socket.once('close', () => {
        signal.removeEventListener('abort', close);
        resolve();
      });
      send(socket);
    });
  const countAnswer = (socket: net.Socket): void => {
    socket.once('data', (data) => count(/^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1'))?.[1] ?? 'unread'));
    socket.resume();
  };
  const open = (n: number, addresses: number, { path, headers, bytes }: StalledRequest): Promise<void> =>
    connect(n, addresses, (socket) => {
      countAnswer(socket);
      const lines = Object.entries({ host, 'content-length': bytes, ...headers });
      socket.write(
        `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      );
      socket.write(Buffer.alloc(bytes - MISSING, ' '));
    });
  const openRaw = (n: number, addresses: number, { text, end }: RawConnection): Promise<void> =>
    connect(n, addresses, (socket) => {
      if (end === 'read') {
        countAnswer(socket);
      } else {
        socket.pause();
      }
      socket.write(text, () => end === 'reset' && setTimeout(() => socket.resetAndDestroy(), RESET_MS));
    });
  const keepAll = async (size: number, openOne: (n: number) => Promise<void>): Promise<void> => {
    const keep = async (n: number): Promise<void> => {
      await pause(Math.floor(n / PER_TURN) * 10);
      while (!isOver()) {
        await openOne(n);
        await pause(REOPEN_MS);
      }
    };
    await Promise.all(Array.from({ length: size }, (_, n) => keep(n)));
  };

  return {
    post,
    inWaves: async (size, pauseMs, send) => {
      for (let sent = 0; !isOver(); sent += size) {
        await Promise.all(Array.from({ length: size }, (_, n) => send(sent + n)));
        await pause(pauseMs);
      }
    },
    stall: (size, addresses, build) => keepAll(size, (n) => open(n, addresses, build(n))),
    keepRaw: (size, addresses, build) => keepAll(size, (n) => openRaw(n, addresses, build(n))),
    answers: () => counts,
  };
}
