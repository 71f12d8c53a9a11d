import { createServer } from 'node:net';
import { listen } from '@image-gateway/testing';

/** Receivers that accept connections and never answer. */
export type Tarpit = Awaited<ReturnType<typeof startTarpit>>;

/** Starts `count` receivers that accept connections and never answer: one server that is reached by that many loopback addresses. */
export async function startTarpit(count: number) {
  const { port, open, close } = await listen(
    createServer((socket) => socket.resume()),
    { host: '0.0.0.0' },
  );
  const hostPorts = Array.from(
    { length: count },
    (_, i) => `127.1.${Math.floor(i / 250)}.${1 + (i % 250)}:${port}`,
  );
  /** A URL for each, no two with the same `host:port`. */
  const urls = hostPorts.map((hostPort) => `http://${hostPort}/hook`);
  return { urls, hostPorts, open, close };
}
