import { gzipSync } from 'node:zlib';
import { eventually } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createOutbound, OutboundError } from '../../src/runtime/outbound/index.js';
import { inTime } from '../in-time.js';
import { flood, raw, startHttp, startTcp, type TestServer } from './servers.js';

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});
const tcp = async (...args: Parameters<typeof startTcp>) => {
  const server = await startTcp(...args);
  running.push(server);
  return server;
};

interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** By when it must have failed. */
  readonly withinMs?: number;
}

async function getFailure(url: string, { withinMs = 2_500, ...options }: CallOptions = {}) {
  const outbound = createOutbound({ allow: new Set([new URL(url).host]), connectTimeoutMs: 400 });
  try {
    await inTime(withinMs, outbound.fetchBytes({ url, maxBytes: 1000, timeoutMs: 5_000, ...options }));
  } catch (error) {
    if (!(error instanceof OutboundError)) {
      throw error;
    }
    return { reason: error.reason, sent: error.sent };
  }
  throw new Error('it did not fail');
}
const OK = 'HTTP/1.1 200 OK\r\n';

describe('bounds of an outbound call', () => {
  test('a body that is announced to be too large is not read', async () => {
    const server = await tcp(raw(`${OK}content-length: 1001\r\n\r\n`));
    expect(await getFailure(server.origin)).toMatchObject({ reason: 'too-large', sent: true });
  });

  test.each([
    ['an endless body without a length', flood(`${OK}\r\n`, 'x'.repeat(65536))],
    [
      'an endless body that lies about its length',
      flood(`${OK}content-length: 999999999\r\n\r\n`, 'x'.repeat(65536)),
    ],
    [
      'an endless chunked body',
      flood(`${OK}transfer-encoding: chunked\r\n\r\n`, `1000\r\n${'x'.repeat(4096)}\r\n`),
    ],
    ['endless interim answers', flood('', 'HTTP/1.1 102 Processing\r\nx: y\r\n\r\n'.repeat(1000))],
  ])('%s is cut at the cap', async (_name, onSocket) => {
    const server = await tcp(onSocket);
    expect(await getFailure(server.origin)).toEqual({ reason: 'too-large', sent: true });
  });

  test.each([
    [1_000, 1, null],
    [1_001, 1, 'fragmented'],
    [1_001, 63, 'fragmented'],
    [1_001, 64, null],
  ])(
    'a body of %d chunks of %d bytes is read, or left before the rest of it',
    async (count, bytes, reason) => {
      const chunk = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
      const text = `${OK}transfer-encoding: chunked\r\n\r\n${chunk.repeat(count)}0\r\n\r\n`;
      const server = await tcp(raw(text));
      const outbound = createOutbound({ allow: new Set([new URL(server.origin).host]) });
      const request = { url: server.origin, maxBytes: 100_000, timeoutMs: 5_000 };
      const calls = [
        outbound.fetchBytes(request),
        outbound.request({ ...request, method: 'GET' }),
        outbound.postBytes({ ...request, body: '{}', headers: {}, maxResponseBytes: 100_000 }),
      ];
      const [fetched, called, posted] = await Promise.allSettled(calls);
      if (reason === null) {
        expect(fetched).toMatchObject({
          value: { bytes: expect.objectContaining({ length: count * bytes }) },
        });
      } else {
        expect(fetched).toMatchObject({ reason: { reason, sent: true, retryable: false } });
      }
      // Comments that keep a call alive are small; the status of a receiver is all that matters.
      expect([called?.status, posted?.status]).toEqual(['fulfilled', 'fulfilled']);
    },
  );

  test('endless chunks of one byte are left after a thousand of them, by a fetch, a call and a post', async () => {
    const start = `${OK}transfer-encoding: chunked\r\n\r\n`;
    const server = await tcp(flood(start, '1\r\nx\r\n'.repeat(500)));
    const outbound = createOutbound({ allow: new Set([new URL(server.origin).host]) });
    const request = { url: server.origin, maxBytes: 10_000_000, timeoutMs: 20_000 };
    for (const send of [
      outbound.fetchBytes,
      (given: typeof request) => outbound.request({ ...given, method: 'GET' }),
    ]) {
      let pieces = 0;
      const receive = {
        silenceMs: 20_000,
        write: (chunk: Buffer) => {
          pieces += chunk.length;
          return Promise.resolve();
        },
      };
      await expect(inTime(10_000, send({ ...request, receive }))).rejects.toMatchObject({
        reason: 'fragmented',
      });
      // Those of one read of the socket that went before.
      expect(pieces).toBeLessThanOrEqual(1_000 + 100);
    }
    await inTime(
      10_000,
      outbound.postBytes({ ...request, body: '{}', headers: {}, maxResponseBytes: 10_000_000 }),
    );
    await eventually(() => expect(server.open()).toBe(0));
  });

  test.each([
    ['a header without an end', flood(`${OK}x: `, 'x'.repeat(65536))],
    ['headers without an end', flood(OK, 'x: y\r\n'.repeat(10_000))],
    [
      'chunk extensions without an end',
      flood(`${OK}transfer-encoding: chunked\r\n\r\n1;`, 'x'.repeat(65536)),
    ],
    ['no HTTP at all', raw('220 mail.example ESMTP\r\n')],
    ['two different lengths', raw(`${OK}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`)],
  ])('%s is an error, not a burden', async (_name, onSocket) => {
    const server = await tcp(onSocket);
    const { reason, sent } = await getFailure(server.origin);
    expect(['broken', 'too-large']).toContain(reason);
    expect(sent).toBe(true);
  });

  test('no packed body is asked for, and one that comes is unpacked no further than its bound', async () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    let asked: string | undefined;
    const server = await startHttp((request, response) => {
      asked = request.headers['accept-encoding'];
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    running.push(server);
    const outbound = createOutbound({ allow: new Set([new URL(server.origin).host]) });
    const request = { url: server.origin, maxBytes: 10_000, timeoutMs: 2_000 };
    await expect(outbound.fetchBytes(request)).rejects.toMatchObject({ reason: 'too-large' });
    expect(asked).toBe('identity');
  });

  test.each([
    ['never answers', () => undefined, ''],
    ['drips its headers', null, OK],
    ['drips its body', null, `${OK}content-length: 900\r\n\r\n`],
  ])('a server that %s is left when the deadline comes', async (_name, onSocket, start) => {
    const timers: NodeJS.Timeout[] = [];
    const drip = (socket: Parameters<Parameters<typeof startTcp>[0]>[0]) => {
      socket.write(start);
      timers.push(setInterval(() => socket.write('x'), 20));
    };
    const server = await tcp(onSocket ?? drip);
    const failure = getFailure(server.origin, { timeoutMs: 400, withinMs: 800 });
    await expect(inTime(300, failure)).rejects.toThrow('not settled');
    expect(await failure).toEqual({ reason: 'timeout', sent: true });
    for (const timer of timers) {
      clearInterval(timer);
    }
  });

  test('the caller can end a call, before it begins and while it runs', async () => {
    const server = await tcp(() => undefined);
    expect(await getFailure(server.origin, { signal: AbortSignal.abort() })).toMatchObject({
      reason: 'aborted',
      sent: false,
    });
    expect(server.connections()).toBe(0);
    const controller = new AbortController();
    const failure = getFailure(server.origin, { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    expect(await failure).toMatchObject({ reason: 'aborted', sent: true });
  });

  test('a connection that is refused or leads nowhere was not sent', async () => {
    const server = await startTcp(() => undefined);
    await server.close();
    expect(await getFailure(server.origin)).toMatchObject({ reason: 'connect', sent: false });
    const nowhere = getFailure('http://192.0.2.1:81/', { withinMs: 1_000 });
    expect(await nowhere).toEqual({ reason: 'connect', sent: false });
  });

  test('a connection that never becomes secure was not sent', async () => {
    const silent = await tcp(() => undefined);
    const plain = await tcp(raw('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const secure = (server: TestServer) => server.origin.replace('http:', 'https:');
    expect(await getFailure(secure(plain))).toMatchObject({ reason: 'tls', sent: false });
    expect(await getFailure(secure(silent), { timeoutMs: 300 })).toMatchObject({
      reason: 'timeout',
      sent: false,
    });
  });

  test('a connection lost after the request was sent, before or amid the answer, may have been acted upon', async () => {
    const resets = await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const ends = await tcp((socket) =>
      socket.once('data', () => socket.end(`${OK}content-length: 10\r\n\r\nhalf`)),
    );
    expect(await getFailure(resets.origin)).toMatchObject({ reason: 'broken', sent: true });
    expect(await getFailure(ends.origin)).toMatchObject({ reason: 'broken', sent: true });
  });

  test.each([204, 404, 500, 304])('status %i: a fetch resolves for 2xx only', async (status) => {
    const server = await tcp(raw(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`));
    const outbound = createOutbound({ allow: new Set([new URL(server.origin).host]) });
    const fetched = outbound.fetchBytes({ url: server.origin, maxBytes: 10, timeoutMs: 2_000 });
    if (status === 204) {
      expect((await fetched).bytes).toHaveLength(0);
    } else {
      await expect(fetched).rejects.toMatchObject({ reason: 'status', status, retryable: status === 500 });
    }
  });

  test('no connection is left behind, however a call ended', async () => {
    const closed: Promise<unknown>[] = [];
    const watch = (onSocket: Parameters<typeof startTcp>[0]) =>
      tcp((socket) => {
        closed.push(new Promise((resolve) => socket.on('close', resolve)));
        onSocket(socket);
      });
    const good = await watch(raw(`${OK}content-length: 2\r\nconnection: keep-alive\r\n\r\nok`));
    const big = await watch(flood(`${OK}\r\n`, 'x'.repeat(65536)));
    const silent = await watch(() => undefined);
    const moved = await watch(raw('HTTP/1.1 302 Found\r\nlocation: http://127.0.0.9/\r\n\r\n'));
    const outbound = createOutbound({ allow: new Set([new URL(good.origin).host]) });
    await outbound.fetchBytes({ url: good.origin, maxBytes: 10, timeoutMs: 2_000 });
    await Promise.all([
      getFailure(big.origin),
      getFailure(silent.origin, { timeoutMs: 200 }),
      getFailure(moved.origin),
    ]);
    await Promise.all(closed);
    expect(closed).toHaveLength(4);
  });
});
