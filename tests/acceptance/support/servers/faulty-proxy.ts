import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/**
 * Fault of one request. The connection ends before the gateway sees it (`reset`), after its answer (`lost`), or in the middle of that
 * (`cut`). A status is answered in place of the gateway. A `bad-gateway` is a page of a proxy.
 */
export type Fault = 'reset' | 'lost' | 'cut' | 'bad-gateway' | 429 | 503;

/** Proxy whose connections break as they are told to. */
export interface FaultyProxy {
  readonly url: string;
  /** Faults of the next requests, one each; requests beyond them pass. */
  plan(faults: readonly (Fault | null)[]): void;
  /** Chooses the fault of every request that has no planned one. */
  choose(fault: () => Fault | null): void;
  /** Number of requests that met a fault since the last call. */
  takeFaults(): number;
  close(): Promise<void>;
}

const CODES = { 429: 'RATE_LIMITED', 503: 'SERVICE_UNAVAILABLE' } as const;

/** Starts a proxy to the gateway at `target`. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const sockets = new Set<Socket>();
  const planned: (Fault | null)[] = [];
  let chosen = (): Fault | null => null;
  let faults = 0;
  const agent = new http.Agent({ keepAlive: true });

  const answer = (response: http.ServerResponse, fault: 'bad-gateway' | 429 | 503): void => {
    if (fault === 'bad-gateway') {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502 Bad Gateway</h1>');
      return;
    }
    const body = { data: null, error: { code: CODES[fault], message: 'Come back later.' } };
    response
      .writeHead(fault, { 'content-type': 'application/json', 'retry-after': '1' })
      .end(JSON.stringify(body));
  };

  const server = http.createServer((request, response) => {
    const fault = planned.length > 0 ? (planned.shift() ?? null) : chosen();
    faults += fault === null ? 0 : 1;
    if (fault === 'reset') {
      request.socket.destroy();
      return;
    }
    if (fault !== null && fault !== 'lost' && fault !== 'cut') {
      request.resume().on('end', () => answer(response, fault));
      return;
    }
    const forwarded = http.request(
      `${target}${request.url}`,
      { method: request.method ?? 'GET', headers: request.headers, agent },
      (given) => {
        if (fault === null) {
          response.writeHead(given.statusCode ?? 500, given.headers);
          given.pipe(response);
          return;
        }
        const chunks: Buffer[] = [];
        given.on('data', (chunk: Buffer) => chunks.push(chunk));
        given.on('end', () => {
          if (fault === 'cut') {
            const body = Buffer.concat(chunks);
            response.writeHead(given.statusCode ?? 500, { ...given.headers, 'content-length': body.length });
            response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
          } else {
            request.socket.destroy();
          }
        });
      },
    );
    // The gateway was killed: its client sees the same.
    forwarded.on('error', () => request.socket.destroy());
    response.on('close', () => fault === null && forwarded.destroy());
    request.pipe(forwarded);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan: (next) => planned.push(...next),
    choose: (fault) => {
      chosen = fault;
    },
    takeFaults: () => {
      const taken = faults;
      faults = 0;
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        for (const socket of sockets) {
          socket.destroy();
        }
      }),
  };
}
