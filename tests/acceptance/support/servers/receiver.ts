import type http from 'node:http';
import { eventually } from '../eventually.js';
import { startServer } from './start-server.js';

/** Response of the receiver: a status, or more; `hang` never responds. */
export type Reply =
  | number
  | 'hang'
  | { status: number; headers?: http.OutgoingHttpHeaders; delayMs?: number };

/** A customer's web server for webhooks, answering each path as told. */
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a receiver on 127.0.0.1, on a port that the product allows (or any free one when 0). */
export async function startReceiver(port = 0) {
  const programs = new Map<string, Reply[]>();
  const { received, ...server } = await startServer((response, { path }) => {
    const replies = programs.get(path) ?? [200];
    respond(response, (replies.length > 1 ? replies.shift() : replies[0]) ?? 200);
  }, port);
  const deliveries = (path: string) => received.filter((call) => call.path === path);
  return {
    ...server,
    /** The replies to the next calls of this path, in order; the last one repeats. Unprogrammed paths get 200. */
    answer: (path: string, ...replies: Reply[]) => void programs.set(path, replies),
    deliveries,
    /** Waits (60 s) until this path was called so often. */
    arrived: (path: string, count = 1, withinMs?: number) =>
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
  };
}

function respond(response: http.ServerResponse, reply: Reply): void {
  if (reply === 'hang') {
    return;
  }
  const { status, headers = {}, delayMs = 0 } = typeof reply === 'number' ? { status: reply } : reply;
  setTimeout(() => response.writeHead(status, headers).end('noted'), delayMs);
}
