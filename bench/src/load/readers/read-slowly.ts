import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Readers that take their time. */
export interface SlowPlan {
  readonly url: string;
  readonly paths: readonly string[];
  readonly readers: number;
  readonly bytesPerSecond: number;
  readonly seconds: number;
}

const TICK_MS = 50;
/** Downloads of one address are limited. */
const READERS_PER_ADDRESS = 50;

/** Downloads files over and over at a low rate, from several addresses of this machine. Returns how many bytes came. */
export async function readSlowly({
  url,
  paths,
  readers,
  bytesPerSecond,
  seconds,
}: SlowPlan): Promise<number> {
  const { hostname, port } = new URL(url);
  let total = 0;
  const sockets = new Map<number, Socket>();
  const open = (reader: number): void => {
    const localAddress = `127.0.0.${2 + Math.floor(reader / READERS_PER_ADDRESS)}`;
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    const path = paths[reader % paths.length] ?? '/';
    socket.on('error', () => undefined);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
    sockets.set(reader, socket);
  };
  const share = Math.ceil((bytesPerSecond * TICK_MS) / 1_000);
  for (const until = performance.now() + seconds * 1_000; performance.now() < until; await sleep(TICK_MS)) {
    for (let reader = 0; reader < readers; reader++) {
      const socket = sockets.get(reader);
      if (!socket || socket.destroyed || socket.readableEnded) {
        socket?.destroy();
        open(reader);
        continue;
      }
      const bytes = socket.read(Math.min(share, Math.max(1, socket.readableLength))) as Buffer | null;
      total += bytes?.length ?? 0;
    }
  }
  for (const socket of sockets.values()) {
    socket.destroy();
  }
  return total;
}
