import http from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A request as it came in, with its exact bytes; the path has no query. */
export interface Delivery {
  at: number;
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  raw: Buffer;
}

/** Lets a server listen on a port of 127.0.0.1, any free one unless given; `close` ends its connections too. */
export async function listen(server: Server, wanted = 0) {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    connections: () => connections,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}

/** Starts a web server that answers each request once all of it is there, and keeps them all. */
export async function startServer(
  answer: (response: http.ServerResponse, request: Delivery) => void,
  wanted = 0,
) {
  const received: Delivery[] = [];
  const server = http.createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const path = url.split('?')[0] ?? '';
      const request = { at: Date.now(), method, path, headers, raw: Buffer.concat(parts) };
      received.push(request);
      answer(response, request);
    });
  });
  const { origin, ...listening } = await listen(server, wanted);
  return { ...listening, received, url: (path: string) => `${origin}${path}` };
}
