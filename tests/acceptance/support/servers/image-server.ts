import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Web server with images and other responses by path, which counts its connections. */
export interface ImageServer {
  port: number;
  url(path: string): string;
  put(path: string, answer: Served): void;
  requests(path: string): number;
  connections(): number;
  close(): Promise<void>;
}

/** Response of a path: bytes with a type, or a redirect. */
export type Served = { bytes: Buffer; type?: string; status?: number } | { redirect: string };

/** Starts the server on 127.0.0.1, on a port that the product allows (or any free one when 0). */
export async function startImageServer(port = 0): Promise<ImageServer> {
  const paths = new Map<string, Served>();
  const seen: string[] = [];
  let connections = 0;
  const server = http.createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    seen.push(path);
    const served = paths.get(path);
    if (served === undefined) {
      response.writeHead(404).end();
    } else if ('redirect' in served) {
      response.writeHead(302, { location: served.redirect }).end();
    } else {
      response
        .writeHead(served.status ?? 200, { 'content-type': served.type ?? 'image/png' })
        .end(served.bytes);
    }
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: (path) => `http://127.0.0.1:${bound}${path}`,
    put: (path, answer) => void paths.set(path, answer),
    requests: (path) => seen.filter((one) => one === path).length,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
