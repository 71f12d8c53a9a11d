import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { canCreateCertificates, createCertificates, eventually, listen } from '@image-gateway/testing';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createConnect } from '../../src/runtime/outbound/connections.js';
import { requestBytes } from '../../src/runtime/outbound/create-outbound.js';
import type { Guard } from '../../src/runtime/outbound/guard.js';
import {
  type CallRequest,
  createOutbound,
  type Outbound,
  OutboundError,
  type OutboundOptions,
} from '../../src/runtime/outbound/index.js';
import { startHttp, startTcp, startTls, type TestServer } from './servers.js';

const running: TestServer[] = [];
afterEach(async () => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  await Promise.all(running.splice(0).map((server) => server.close()));
});
async function run(starting: Promise<TestServer>): Promise<TestServer> {
  const server = await starting;
  running.push(server);
  return server;
}
const answer: RequestListener = (request, response) => {
  request.resume().on('end', () => response.end('fine'));
};
const allowing = (...servers: TestServer[]): OutboundOptions => ({
  allow: new Set(servers.map((server) => new URL(server.origin).host)),
});
const call = (outbound: Outbound, url: string, more: Partial<CallRequest> = {}) =>
  outbound.request({ method: 'GET', url, maxBytes: 100_000, timeoutMs: 30_000, owner: 'one', ...more });
const PAID = { method: 'POST', body: Buffer.from('{}'), isCostly: true } as const;
const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine';
/** Answers each request of a connection with these bytes; a request ends with an empty line. */
const answering = (text: string, then: (socket: Socket) => void = () => undefined) =>
  startTcp((socket) => {
    socket.on('data', (bytes) => {
      if (bytes.toString('latin1').includes('\r\n\r\n')) {
        socket.write(text, () => then(socket));
      }
    });
  });

describe('kept connections', () => {
  test('a connection is probed each minute: networks forget those that are silent while a provider works', async () => {
    const probing = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const server = await run(startHttp(answer));
    await call(createOutbound(allowing(server)), server.origin);
    expect(probing).toHaveBeenCalledWith(true, 60_000);
  });

  test('requests of one owner share a connection, one after the other', async () => {
    const server = await run(startHttp(answer));
    const outbound = createOutbound(allowing(server));
    for (let round = 0; round < 5; round += 1) {
      expect((await call(outbound, server.origin, round % 2 ? PAID : {})).bytes.toString()).toBe('fine');
    }
    await outbound.fetchBytes({ url: server.origin, maxBytes: 100, timeoutMs: 30_000, owner: 'one' });
    await outbound.postBytes({ url: server.origin, body: 'x', headers: {}, timeoutMs: 30_000, owner: 'one' });
    expect(server.connections()).toBe(1);
  });

  test('requests at the same moment have connections of their own, each of which is kept', async () => {
    const server = await run(
      startHttp((request, response) => void sleep(50).then(() => answer(request, response))),
    );
    const outbound = createOutbound(allowing(server));
    const all = () => Promise.all(Array.from({ length: 20 }, () => call(outbound, server.origin)));
    await all();
    await all();
    expect([server.connections(), server.open()]).toEqual([20, 20]);
  });

  test('a connection is never used for another owner, another host or without an owner', async () => {
    const [server, other] = [await run(startHttp(answer)), await run(startHttp(answer))];
    const outbound = createOutbound(allowing(server, other));
    await call(outbound, server.origin);
    await call(outbound, server.origin, { owner: 'two' });
    await call(outbound, server.origin, { owner: undefined });
    await call(outbound, server.origin, { owner: undefined });
    await call(outbound, other.origin);
    await call(createOutbound(allowing(server)), server.origin);
    expect([server.connections(), other.connections()]).toEqual([5, 1]);
  });

  test('a connection stays with the address that was checked when it was made; each new one is checked again', async () => {
    const server = await run(startHttp(answer));
    const elsewhere = await run(startHttp(answer, '127.0.0.2', server.port));
    let address: string | null = '127.0.0.1';
    let asked = 0;
    const guard: Guard = {
      checkLiteral: () => undefined,
      resolve: async () => {
        asked += 1;
        if (address === null) {
          throw new OutboundError('refused-address', 'not public');
        }
        return [{ address, family: 4 }];
      },
    };
    const connect = createConnect({ guard, connectTimeoutMs: 30_000 });
    const get = () =>
      requestBytes(
        { guard, connect, userAgent: 'test' },
        {
          method: 'GET',
          url: `http://name.example:${server.port}/`,
          maxBytes: 100,
          timeoutMs: 30_000,
          owner: 'one',
        },
      );
    await get();
    for (const next of ['127.0.0.2', null]) {
      address = next;
      await get();
    }
    expect([asked, server.connections(), elsewhere.connections()]).toEqual([1, 1, 0]);
    server.endAll();
    await expect(get()).rejects.toMatchObject({ reason: 'refused-address' });
    address = '127.0.0.2';
    await get();
    expect([asked, server.connections(), elsewhere.connections()]).toEqual([3, 1, 1]);
  });

  test('a literal address is judged for each request, although a connection to it is kept', async () => {
    const server = await run(startHttp(answer));
    const allow = new Set([new URL(server.origin).host]);
    const outbound = createOutbound({ allow });
    await call(outbound, server.origin);
    await expect(call(outbound, `http://127.0.0.2:${server.port}/`)).rejects.toMatchObject({
      reason: 'refused-address',
    });
    expect(server.connections()).toBe(1);
  });

  (canCreateCertificates() ? test : test.skip)('connections over TLS are kept like others', async () => {
    const certificates = createCertificates();
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, await readFile(certificates.authority, 'utf8')]);
    try {
      const [cert, key] = await Promise.all([readFile(certificates.certificate), readFile(certificates.key)]);
      const server = await run(startTls({ cert, key }, answer));
      const outbound = createOutbound(allowing(server));
      for (let round = 0; round < 5; round += 1) {
        expect((await call(outbound, server.origin, PAID)).bytes.toString()).toBe('fine');
      }
      await call(outbound, server.origin, { owner: 'two' });
      server.endAll();
      expect((await call(outbound, server.origin, PAID)).status).toBe(200);
      expect(server.connections()).toBe(3);
    } finally {
      setDefaultCACertificates(before);
      certificates.dispose();
    }
  });
});

describe('a kept connection that ends', () => {
  test.each([
    ['closes it', (socket: Socket) => void socket.destroy()],
    ['ends its side', (socket: Socket) => void socket.end()],
    ['resets it', (socket: Socket) => void socket.resetAndDestroy()],
  ])('a server that %s after each answer makes no request fail, paid ones neither', async (_what, then) => {
    const server = await run(answering(RESPONSE, then));
    const outbound = createOutbound(allowing(server));
    for (let round = 0; round < 100; round += 1) {
      expect((await call(outbound, server.origin, PAID)).status).toBe(200);
      if (round % 10 === 0) {
        await sleep(5);
      }
    }
    expect(server.connections()).toBe(100);
  });

  test('an end that came while the process was busy is seen before a byte is sent', async () => {
    const server = await run(answering(RESPONSE));
    const outbound = createOutbound(allowing(server));
    await call(outbound, server.origin);
    server.endAll();
    const busyUntil = performance.now() + 50;
    while (performance.now() < busyUntil) {}
    expect((await call(outbound, server.origin, PAID)).status).toBe(200);
    expect(server.connections()).toBe(2);
  });

  test('a server that answers before it has read the whole request gets its connection back for no other one', async () => {
    const paused: { resume: () => unknown }[] = [];
    const server = await run(
      startTcp((socket) => {
        socket.once('data', () => {
          paused.push(socket.pause());
          socket.write(RESPONSE);
        });
      }),
    );
    const outbound = createOutbound(allowing(server));
    const body = Buffer.alloc(20 * 1024 * 1024);
    expect((await call(outbound, server.origin, { ...PAID, body })).bytes.toString()).toBe('fine');
    expect((await call(outbound, server.origin)).status).toBe(200);
    // A server sees the end of a connection only while it reads.
    paused[0]?.resume();
    // An idle one ends after 15 s, and would pass for it.
    await eventually(() => expect([server.connections(), server.open()]).toEqual([2, 1]), {
      timeoutMs: 12_000,
    });
  });

  test('bytes that nobody asked for end a connection', async () => {
    const server = await run(
      answering(RESPONSE, (socket) => void setTimeout(() => socket.write(RESPONSE), 20)),
    );
    const outbound = createOutbound(allowing(server));
    await call(outbound, server.origin);
    await eventually(() => expect([server.connections(), server.open()]).toEqual([1, 0]));
    expect((await call(outbound, server.origin)).bytes.toString()).toBe('fine');
    expect(server.connections()).toBe(2);
  });

  test('an answer that is not read to its end leaves no connection', async () => {
    const server = await run(startHttp((_request, response) => response.end(Buffer.alloc(500_000))));
    const outbound = createOutbound(allowing(server));
    await expect(call(outbound, server.origin)).rejects.toMatchObject({ reason: 'too-large' });
    await outbound.postBytes({ url: server.origin, body: 'x', headers: {}, timeoutMs: 30_000, owner: 'one' });
    await expect(
      outbound.fetchBytes({ url: server.origin, maxBytes: 100, timeoutMs: 30_000, owner: 'one' }),
    ).rejects.toMatchObject({
      reason: 'too-large',
    });
    await eventually(() => expect([server.connections(), server.open()]).toEqual([3, 0]));
  });
});

describe('a call that may be billed', () => {
  const withTerm = (seconds: number | null) =>
    answering(
      `HTTP/1.1 200 OK\r\n${seconds === null ? '' : `Keep-Alive: timeout=${seconds}, max=100\r\n`}Content-Length: 4\r\n\r\nfine`,
    );

  test.each([
    ['half a second ago, without a term', null, 500, 2],
    ['a moment less ago, without a term', null, 499, 1],
    ['less than half of its term ago', 10, 4_999, 1],
    ['half of its term ago', 10, 5_000, 2],
    ['half a second ago, with a term of a second', 1, 500, 2],
  ] as const)(
    'a call that may be billed and a connection that was used %s',
    async (_when, seconds, ageMs, connections) => {
      const clock = jest.spyOn(performance, 'now').mockReturnValue(1_000);
      const server = await run(withTerm(seconds));
      const outbound = createOutbound(allowing(server));
      await call(outbound, server.origin, PAID);
      clock.mockReturnValue(1_000 + ageMs);
      await call(outbound, server.origin, PAID);
      expect(server.connections()).toBe(connections);
    },
  );

  test('other calls use a connection for longer, until half a term or a second before its end', async () => {
    const server = await run(withTerm(5));
    const outbound = createOutbound(allowing(server));
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    for (let calls = 0; calls < 2; calls += 1) {
      await call(outbound, server.origin);
      jest.advanceTimersByTime(3_999);
    }
    await call(outbound, server.origin);
    expect(server.connections()).toBe(1);
    jest.advanceTimersByTime(4_000);
    jest.useRealTimers();
    await eventually(() => expect(server.open()).toBe(0));
  });

  test.each([
    ['that says so', true],
    ['that says nothing', false],
  ])(
    '2,000 paid calls to a server %s and ends connections that were idle for a second are all answered',
    async (_what, says) => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
      const answeredAt = new WeakMap<Socket, number>();
      const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
        const { socket } = request;
        const now = performance.now();
        // Such a server no longer reads what comes.
        if (now - (answeredAt.get(socket) ?? now) >= 1_000) {
          socket.destroy();
          return;
        }
        answeredAt.set(socket, now);
        if (says) {
          response.setHeader('Keep-Alive', 'timeout=1');
        }
        answer(request, response);
      });
      const { url, hostPort, connections, close } = await listen(server);
      try {
        const outbound = createOutbound({ allow: new Set([hostPort]) });
        for (const idleMs of [0, 100, 450, 499, 500, 999, 1_000, 1_001, 5_000, 20_000]) {
          jest.advanceTimersByTime(idleMs);
          const work = async (): Promise<void> => {
            for (let round = 0; round < 5; round += 1) {
              await call(outbound, `${url}/`, PAID);
            }
          };
          await Promise.all(Array.from({ length: 40 }, work));
        }
        // Forty at first, and again after each pause of half a second or more.
        expect(connections()).toBe(7 * 40);
      } finally {
        await close();
      }
    },
  );
});
