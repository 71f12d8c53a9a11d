import { createHash, randomBytes } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createConnect } from '../../src/runtime/outbound/connections.js';
import { requestBytes } from '../../src/runtime/outbound/create-outbound.js';
import { createGuard } from '../../src/runtime/outbound/guard.js';
import type { BodyReceiver, OutboundError, ResolveHost } from '../../src/runtime/outbound/index.js';
import { SHARED_KEY_TLS, startHttp, startHttps, type TestServer } from './servers.js';

const MIB = 1024 ** 2;
/** Nothing listens on the first one. */
const ADDRESSES = [
  { address: '127.0.0.3', family: 4 },
  { address: '127.0.0.1', family: 4 },
] as const;
const running: TestServer[] = [];
const { connect } = tls;
beforeAll(() => {
  const { psk, ...terms } = SHARED_KEY_TLS;
  const trust = {
    ...terms,
    pskCallback: () => ({ psk, identity: 'test' }),
    checkServerIdentity: () => undefined,
  };
  tls.connect = ((options: tls.ConnectionOptions) => connect({ ...options, ...trust })) as typeof connect;
});
afterAll(() => {
  tls.connect = connect;
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});
const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe.each([
  ['http', startHttp],
  ['https', startHttps],
] as const)('reading over %s', (scheme, start) => {
  const serve = async (handler: RequestListener): Promise<TestServer> => {
    const server = await start(handler);
    running.push(server);
    return server;
  };
  const call = (
    { port }: TestServer,
    { receive, path = '/' }: { receive?: BodyReceiver; path?: string } = {},
  ) => {
    const none = new Set<string>();
    const resolve: ResolveHost = async () => ADDRESSES;
    const guard = createGuard({
      allow: new Set([`images.example:${port}`]),
      allowHosts: none,
      allowServers: none,
      resolvePublic: resolve,
      resolveTrusted: resolve,
    });
    return requestBytes(
      { guard, connect: createConnect({ guard, connectTimeoutMs: 10_000 }), userAgent: 'test' },
      {
        method: 'GET',
        url: `${scheme}://images.example:${port}${path}`,
        maxBytes: 64 * MIB,
        timeoutMs: 30_000,
        ...(receive && { receive }),
      },
    );
  };

  test.each([
    ['that says its length', (response: ServerResponse, bytes: Buffer) => response.end(bytes)],
    [
      'in chunks',
      (response: ServerResponse, bytes: Buffer) => {
        response.write(bytes.subarray(0, 5));
        response.end(bytes.subarray(5));
      },
    ],
    [
      'that ends with its connection',
      (response: ServerResponse, bytes: Buffer) => {
        response.removeHeader('transfer-encoding');
        response.useChunkedEncodingByDefault = false;
        response.shouldKeepAlive = false;
        response.write(bytes.subarray(0, 5));
        response.end(bytes.subarray(5));
      },
    ],
  ])('a large body %s arrives byte for byte, from the second address of a name', async (_name, send) => {
    const bytes = randomBytes(16 * MIB);
    const { bytes: got } = await call(await serve((_request, response) => void send(response, bytes)));
    expect(hash(got)).toBe(hash(bytes));
  });

  test('bodies that arrive at the same time do not mix', async () => {
    const bodies = Array.from({ length: 16 }, () => randomBytes(MIB));
    const server = await serve(
      (request, response) => void response.end(bodies[Number(request.url?.slice(1))]),
    );
    const answers = await Promise.all(bodies.map((_, i) => call(server, { path: `/${i}` })));
    expect(answers.map(({ bytes }) => hash(bytes))).toEqual(bodies.map(hash));
  });

  test('pieces of a body stay as they are while later ones arrive', async () => {
    const bytes = randomBytes(8 * MIB);
    const pieces: Buffer[] = [];
    const receive: BodyReceiver = {
      silenceMs: 10_000,
      write: async (chunk) => {
        pieces.push(chunk);
        await new Promise(setImmediate);
      },
    };
    await call(await serve((_request, response) => void response.end(bytes)), { receive });
    expect(hash(Buffer.concat(pieces))).toBe(hash(bytes));
  });

  test('a connection that breaks in the middle of a body is an error, and no end', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 4 * MIB });
      response.write(randomBytes(2 * MIB), () => setTimeout(() => response.destroy(), 50));
    });
    const error = await call(server).then(
      () => null,
      (failure: OutboundError) => failure,
    );
    expect(error).toMatchObject({ reason: 'broken', sent: true, status: 200 });
  });

  test('the other side can send no more while a receiver waits, and goes on after it', async () => {
    const total = 48 * MIB;
    const piece = Buffer.alloc(MIB, 'x');
    let sent = 0;
    const server = await serve((_request, response) => {
      const pump = (): void => {
        while (sent < total) {
          sent += piece.length;
          if (!response.write(piece)) {
            response.once('drain', pump);
            return;
          }
        }
        response.end();
      };
      pump();
    });
    let received = 0;
    let sentMeanwhile = 0;
    const receive: BodyReceiver = {
      silenceMs: 10_000,
      write: async ({ length }) => {
        const isFirst = received === 0;
        received += length;
        if (isFirst) {
          await new Promise((resolve) => setTimeout(resolve, 500));
          sentMeanwhile = sent;
        }
      },
    };
    await call(server, { receive });
    expect(sentMeanwhile).toBeLessThan(total / 2);
    expect(received).toBe(total);
  });
});
