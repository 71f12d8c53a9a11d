import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Listening, listen } from './listen.js';

/** A request as it came in. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly at: number;
}

/** A small HTTP server on loopback that records what it gets. */
export interface Receiver extends Listening {
  readonly requests: ReceivedRequest[];
}

/** Answers one request; `count` is how many there were before it. */
export type Responder = (response: ServerResponse, request: ReceivedRequest, count: number) => void;

/** Starts a receiver that answers 200 `ok`, or the given response. */
export async function startReceiver(answer: Responder = (response) => response.end('ok')): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, path: url, headers, body: Buffer.concat(parts), at: Date.now() };
      requests.push(request);
      answer(response, request, requests.length - 1);
    });
    incoming.on('error', () => response.destroy());
    response.on('error', () => response.destroy());
  });
  return { ...(await listen(server)), requests };
}
