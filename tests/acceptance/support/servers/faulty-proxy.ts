import http from 'node:http';
import { listen } from './start-server.js';

/**
 * Fault of one request. The connection ends before the gateway sees it (`reset`), after its answer (`lost`), or in the middle of that
 * (`cut`). A status is answered in place of the gateway. A `bad-gateway` is a page of a proxy.
 */
export type Fault = 'reset' | 'lost' | 'cut' | 'bad-gateway' | 429 | 503;

/** Proxy whose connections break as they are told to. */
export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxy>>;

const CODES = { 429: 'RATE_LIMITED', 503: 'SERVICE_UNAVAILABLE' } as const;

/** Starts a proxy to the gateway at `target`. */
export async function startFaultyProxy(target: string) {
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
  const { origin, close } = await listen(server);
  return {
    url: origin,
    /** Faults of the next requests, one each; requests beyond them pass. */
    plan: (next: readonly (Fault | null)[]) => void planned.push(...next),
    /** Chooses the fault of every request that has no planned one. */
    choose: (fault: () => Fault | null) => {
      chosen = fault;
    },
    /** Number of requests that met a fault since the last call. */
    takeFaults: () => {
      const taken = faults;
      faults = 0;
      return taken;
    },
    close: () => {
      agent.destroy();
      return close();
    },
  };
}
