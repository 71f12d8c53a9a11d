import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createOutbound } from '../../src/runtime/outbound/index.js';
import { inTime } from '../in-time.js';
import { flood, raw, startHttp, startTcp, type TestServer } from './servers.js';

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});
const run = async (starting: Promise<TestServer>) => {
  const server = await starting;
  running.push(server);
  return server;
};
const post = (server: TestServer, body: Buffer | string = '{}', timeoutMs = 2_000) =>
  createOutbound({ allow: new Set([new URL(server.origin).host]) }).postBytes({
    url: `${server.origin}/hook`,
    body,
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
    timeoutMs,
  });

describe('posting to an unknown receiver', () => {
  test('the exact bytes and headers arrive', async () => {
    const bytes = Buffer.from([...'{"a":"\u00fc\u{1f600}"} \r\n'].join(''), 'utf8');
    const seen: unknown[] = [];
    const server = await run(
      startHttp((request, response) => {
        const hash = createHash('sha256');
        request.on('data', (chunk) => hash.update(chunk));
        request.on('end', () => {
          const { 'content-type': type, 'webhook-id': id, 'content-length': length } = request.headers;
          seen.push(request.method, request.url, type, id, length, hash.digest('hex'));
          response.end();
        });
      }),
    );
    expect((await post(server, bytes)).status).toBe(200);
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(seen).toEqual(['POST', '/hook', 'application/json', 'msg_1', String(bytes.length), digest]);
  });

  test.each([200, 204, 301, 302, 307, 400, 410, 429, 500, 503])(
    'status %i is an answer, and nothing is followed',
    async (status) => {
      const server = await run(
        startHttp((_request, response) =>
          response.writeHead(status, { location: '/again', 'retry-after': '3' }).end('why'),
        ),
      );
      const answer = await post(server);
      expect(answer).toMatchObject({ status, headers: { 'retry-after': '3', location: '/again' } });
      expect(server.connections()).toBe(1);
    },
  );

  test('of an endless answer 4 KiB are kept and little more than 64 KiB read', async () => {
    const server = await run(startTcp(flood('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(65536))));
    const answer = await post(server);
    expect(answer.status).toBe(200);
    expect(answer.bodyStart.toString()).toBe('x'.repeat(4096));
  });

  test('an answer whose body breaks off or drips still counts by its status', async () => {
    const breaks = await run(
      startTcp((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\nhal')),
      ),
    );
    expect(await post(breaks)).toMatchObject({ status: 201, bodyStart: Buffer.from('hal') });
    const drips = await run(startTcp(raw('HTTP/1.1 202 Accepted\r\ncontent-length: 99\r\n\r\ndrip')));
    const answer = await inTime(800, post(drips, '{}', 400));
    expect(answer).toMatchObject({ status: 202, bodyStart: Buffer.from('drip') });
  });

  test('without a status there is a typed error that says whether the request was sent', async () => {
    const switches = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n';
    for (const answer of ['hello\r\n\r\n', switches]) {
      const server = await run(startTcp(raw(answer)));
      await expect(post(server, '{}', 60_000)).rejects.toMatchObject({
        name: 'OutboundError',
        reason: 'broken',
        sent: true,
      });
    }
    const gone = await startTcp(() => undefined);
    await gone.close();
    await expect(post(gone)).rejects.toMatchObject({ reason: 'connect', sent: false });
  });

  test('a receiver that answers before it has read the body is no error', async () => {
    const server = await run(startTcp(raw('HTTP/1.1 413 Too Large\r\nconnection: close\r\n\r\n')));
    expect((await post(server, Buffer.alloc(20_000, 'a'))).status).toBe(413);
  });
});

describe('a call to a service', () => {
  test('a call to a service gives status, headers and all bytes for any status, and refuses an answer over the cap', async () => {
    const server = await run(
      startHttp((request, response) =>
        response.writeHead(418, { 'x-method': request.method }).end('x'.repeat(2_000)),
      ),
    );
    const outbound = createOutbound({ allow: new Set([new URL(server.origin).host]) });
    const call = { method: 'DELETE' as const, url: server.origin, timeoutMs: 2_000 };
    const answer = await outbound.request({ ...call, maxBytes: 2_000 });
    expect([answer.status, answer.headers['x-method'], answer.bytes.length]).toEqual([418, 'DELETE', 2_000]);
    await expect(outbound.request({ ...call, maxBytes: 1_999 })).rejects.toMatchObject({
      reason: 'too-large',
      sent: true,
    });
  });
});
