import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook as it came in. */
export interface ReceivedHook {
  readonly path: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: readonly string[];
  readonly body: Buffer;
  readonly at: number;
}

/**
 * Web server of the customers. The first segment of a path selects its behaviour:
 * - `ok` responds at once, `slow` after a delay, `flaky` with 500 once and then with 200;
 * - `hang` never responds, nor does `tarpit`, which has another address each time;
 * - `redirect` leads to a canary, `gone` responds 410;
 * - `huge` sends endless bytes, `drip` a byte now and then, `early` closes the connection at once.
 *
 * Failing behaviours have a port of their own, as a dead receiver has in production.
 */
export interface HooksReceiver {
  readonly url: (way: string, rest: string) => string;
  /** All addresses, with commas between them. */
  readonly hostPorts: string;
  readonly hooks: () => readonly ReceivedHook[];
  /** Number of requests to the target of the redirect, which must never be called. */
  readonly canaryHits: () => number;
  /** Most connections to `tarpit` addresses that were open at a time. */
  readonly mostTarpits: () => number;
  readonly close: () => Promise<void>;
}

const PIECE = Buffer.alloc(256 * 1024, 'x');
const DRIP_MS = 400;
const SLOW_MS = 350;
const TARPITS = 250;
const ANSWERS: ReadonlySet<string> = new Set(['ok', 'slow', 'flaky']);

/** Starts the receiver on loopback. */
export async function startHooksReceiver(): Promise<HooksReceiver> {
  const hooks: ReceivedHook[] = [];
  const calls = new Map<string, number>();
  let canaryHits = 0;
  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('error', () => response.destroy());
    incoming.on('end', () => {
      const path = incoming.url ?? '';
      const { headers } = incoming;
      if (path.startsWith('/canary')) {
        canaryHits += 1;
      }
      hooks.push({
        path,
        id: String(headers['webhook-id']),
        timestamp: String(headers['webhook-timestamp']),
        signatures: String(headers['webhook-signature']).split(' '),
        body: Buffer.concat(parts),
        at: Date.now(),
      });
      const count = calls.get(path) ?? 0;
      calls.set(path, count + 1);
      answer(response, path.split('/')[1] ?? 'ok', count);
    });
  };
  const tarpit = createServer(serve);
  let openTarpits = 0;
  let mostTarpits = 0;
  tarpit.on('connection', (socket) => {
    openTarpits += 1;
    mostTarpits = Math.max(mostTarpits, openTarpits);
    socket.on('close', () => {
      openTarpits -= 1;
    });
  });
  const servers = [createServer(serve), createServer(serve), tarpit];
  const ports: number[] = [];
  for (const server of servers) {
    await new Promise<void>((resolve) =>
      server.listen(0, server === tarpit ? '0.0.0.0' : '127.0.0.1', resolve),
    );
    ports.push((server.address() as AddressInfo).port);
  }
  const tarpits = Array.from({ length: TARPITS }, (_, i) => `127.0.1.${i + 1}:${ports[2]}`);
  let given = 0;
  const pickHost = (way: string): string =>
    way === 'tarpit'
      ? (tarpits[given++ % TARPITS] as string)
      : `127.0.0.1:${ports[ANSWERS.has(way) ? 0 : 1]}`;
  return {
    url: (way, rest) => `http://${pickHost(way)}/${way}/${rest}`,
    hostPorts: [...ports.slice(0, 2).map((port) => `127.0.0.1:${port}`), ...tarpits].join(),
    hooks: () => hooks,
    canaryHits: () => canaryHits,
    mostTarpits: () => mostTarpits,
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function answer(response: ServerResponse, way: string, count: number): void {
  response.on('error', () => response.destroy());
  switch (way) {
    case 'hang':
    case 'tarpit':
      return;
    case 'redirect':
      response.writeHead(302, { location: '/canary' }).end();
      return;
    case 'gone':
      response.writeHead(410).end();
      return;
    case 'early':
      response.socket?.resetAndDestroy();
      return;
    case 'huge':
      response.writeHead(500);
      flood(response);
      return;
    case 'drip': {
      const timer = setInterval(() => response.write('x'), DRIP_MS);
      response.on('close', () => clearInterval(timer));
      response.writeHead(200, { 'content-length': 1_000_000 });
      return;
    }
    case 'slow':
      setTimeout(() => response.writeHead(200).end('ok'), SLOW_MS);
      return;
    case 'flaky':
      response.writeHead(count === 0 ? 500 : 200).end();
      return;
    default:
      response.writeHead(200).end('ok');
  }
}

function flood(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed) {
      if (!response.write(PIECE)) {
        response.once('drain', more);
        return;
      }
    }
  };
  more();
}
