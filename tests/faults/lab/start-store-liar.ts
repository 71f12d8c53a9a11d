import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createObjectStore } from '@image-gateway/shared/storage';

/**
 * Behaviour of the object store:
 * - `pass` forwards every request, `slow` does so after a delay, `unavailable` responds 503 to every request;
 * - `half` stores half of the bytes of an image and responds 500;
 * - `stored-error` stores the whole image and responds 500;
 * - `swallow` responds 200 and stores no image.
 */
export type LieKind = 'pass' | 'unavailable' | 'slow' | 'half' | 'stored-error' | 'swallow';

/** An HTTP proxy in front of the object store that lies when told to. */
export interface StoreLiar {
  readonly url: string;
  /** Lies from now on: in so many calls at most. */
  readonly lie: (kind: LieKind, times?: number, slowMs?: number) => void;
  /** How many calls were lied to since the last change. */
  readonly lies: () => number;
  readonly close: () => Promise<void>;
}

const BUCKET = 'image-gateway';
const ERROR = '<?xml version="1.0"?><Error><Code>InternalError</Code><Message>no</Message></Error>';

/** Starts the proxy; it passes everything on until told otherwise. */
export async function startStoreLiar(s3: {
  readonly url: string;
  readonly accessKey: string;
  readonly secretKey: string;
}): Promise<StoreLiar> {
  const store = createObjectStore({ endpoint: s3.url, region: 'us-east-1', bucket: BUCKET, ...s3 });
  let kind: LieKind = 'pass';
  let left = 0;
  let slow = 0;
  let lies = 0;

  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isPut = incoming.method === 'PUT' && (incoming.url ?? '').startsWith(`/${BUCKET}/images/`);
    const lied = left > 0 && (isPut || kind === 'unavailable' || kind === 'slow') ? kind : 'pass';
    if (lied !== 'pass') {
      left -= 1;
      lies += 1;
    }
    const parts: Buffer[] = [];
    for await (const part of incoming) {
      parts.push(part as Buffer);
    }
    const body = Buffer.concat(parts);
    const key = decodeURIComponent((incoming.url ?? '').split('?')[0]?.slice(BUCKET.length + 2) ?? '');
    const fail = (status: number): void =>
      void response.writeHead(status, { 'content-type': 'application/xml' }).end(ERROR);
    if (lied === 'unavailable') {
      return fail(503);
    }
    if (lied === 'swallow') {
      response.writeHead(200, { etag: '"d41d8cd98f00b204e9800998ecf8427e"', 'content-length': 0 }).end();
      return;
    }
    if (lied === 'half') {
      await store.replace(key, body.subarray(0, body.length / 2), { contentType: 'image/png' });
      return fail(500);
    }
    if (lied === 'slow') {
      await new Promise((resolve) => setTimeout(resolve, slow));
    }
    await forward(s3.url, incoming, body, response, lied === 'stored-error');
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lie: (next, times = Number.POSITIVE_INFINITY, slowMs = 0) => {
      kind = next;
      left = next === 'pass' ? 0 : times;
      slow = slowMs;
      lies = 0;
    },
    lies: () => lies,
    close: () =>
      new Promise((resolve) => {
        store.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Passes a request on as it is (its signature covers the Host header) and the answer back, or an error in its place. */
function forward(
  to: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  denied: boolean,
): Promise<void> {
  const { hostname, port } = new URL(to);
  return new Promise((resolve, reject) => {
    const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
      answer.on('error', reject);
      answer.on('end', resolve);
      if (denied) {
        answer.resume();
        response.writeHead(500, { 'content-type': 'application/xml' }).end(ERROR);
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', reject);
    onward.end(body);
  });
}
