import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../eventually.js';

/** One call that reached the receiver, with its exact bytes. */
export interface Delivery {
  at: number;
  path: string;
  headers: http.IncomingHttpHeaders;
  raw: Buffer;
}

/** Response of the receiver: a status, or more; `hang` never responds. */
export type Reply =
  | number
  | 'hang'
  | { status: number; headers?: http.OutgoingHttpHeaders; delayMs?: number };

/** A customer's web server for webhooks, answering each path as told. */
export interface Receiver {
  port: number;
  url(path: string): string;
  /** The replies to the next calls of this path, in order; the last one repeats. Unprogrammed paths get 200. */
  answer(path: string, ...replies: Reply[]): void;
  deliveries(path: string): Delivery[];
  /** Waits (60 s) until this path was called so often. */
  arrived(path: string, count?: number, withinMs?: number): Promise<Delivery[]>;
  connections(): number;
  close(): Promise<void>;
}

/** Starts a receiver on 127.0.0.1, on a port that the product allows (or any free one when 0). */
export async function startReceiver(port = 0): Promise<Receiver> {
  const calls: Delivery[] = [];
  const programs = new Map<string, Reply[]>();
  let connections = 0;
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      calls.push({ at: Date.now(), path, headers: request.headers, raw: Buffer.concat(parts) });
      const replies = programs.get(path) ?? [200];
      respond(response, (replies.length > 1 ? replies.shift() : replies[0]) ?? 200);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  const deliveries = (path: string) => calls.filter((call) => call.path === path);
  return {
    port: bound,
    url: (path) => `http://127.0.0.1:${bound}${path}`,
    answer: (path, ...replies) => void programs.set(path, replies),
    deliveries,
    arrived: (path, count = 1, withinMs = 60_000) =>
      eventually(
        () => {
          const seen = deliveries(path);
          if (seen.length < count) {
            throw new Error(`${path} was called ${seen.length} times, waiting for ${count}`);
          }
          return seen;
        },
        { withinMs },
      ),
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(response: http.ServerResponse, reply: Reply): void {
  if (reply === 'hang') {
    return;
  }
  const { status, headers = {}, delayMs = 0 } = typeof reply === 'number' ? { status: reply } : reply;
  setTimeout(() => response.writeHead(status, headers).end('noted'), delayMs);
}
