import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Certificates, canCreateCertificates, createCertificates } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { chooseProxy, createOutbound, type OutboundOptions } from '../../src/runtime/outbound/index.js';
import { startTls, type TestServer } from './servers.js';

let certificates: Certificates;
let server: TestServer;
let address: string;
const before = getCACertificates('default');
const closing: (() => void)[] = [];

/** Starts a proxy that notes its requests and treats them as the test says. */
async function startProxy(onConnect: (request: IncomingMessage, socket: Socket) => void) {
  const seen: IncomingMessage[] = [];
  const proxy = createServer((_request, response) => response.writeHead(501).end());
  proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
    seen.push(request);
    socket.on('error', () => undefined);
    onConnect(request, socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const { port } = proxy.address() as { port: number };
  return { url: `http://user:p%40ss@127.0.0.1:${port}`, seen };
}
const tunnel = (_request: IncomingMessage, socket: Socket): void => {
  const target = connect(server.port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.pipe(target).pipe(socket);
  });
  target.on('error', () => socket.destroy());
};
const call = (url: string, options: Partial<OutboundOptions>) => {
  const outbound = createOutbound({ allow: new Set(), connectTimeoutMs: 500, ...options });
  return () => outbound.request({ method: 'GET', url, maxBytes: 100, timeoutMs: 5_000, owner: 'one' });
};
const through = (url: string, proxyUrl: string) => chooseProxy({ HTTPS_PROXY: proxyUrl, NO_PROXY: [] }, url);

(canCreateCertificates() ? describe : describe.skip)('calls through a proxy', () => {
  beforeAll(async () => {
    certificates = createCertificates();
    setDefaultCACertificates([...before, await readFile(certificates.authority, 'utf8')]);
    const [cert, key] = await Promise.all([readFile(certificates.certificate), readFile(certificates.key)]);
    server = await startTls({ cert, key }, (_request, response) => response.end('fine'));
    address = `https://localhost:${server.port}`;
  });
  afterEach(() => {
    for (const close of closing.splice(0)) {
      close();
    }
    server.endAll();
  });
  afterAll(async () => {
    await server.close();
    setDefaultCACertificates(before);
    certificates.dispose();
  });
  const allowed = () => ({ allow: new Set([`localhost:${server.port}`, `127.0.0.1:${server.port}`]) });

  test('the calls to one host share a tunnel, which the proxy opens for its log-in', async () => {
    const proxy = await startProxy(tunnel);
    const get = call(address, { ...allowed(), proxy: through(address, proxy.url) });
    expect([(await get()).bytes.toString(), (await get()).status]).toEqual(['fine', 200]);
    const [{ url, headers } = { url: '', headers: {} as IncomingMessage['headers'] }] = proxy.seen;
    expect([proxy.seen.length, url]).toEqual([1, `localhost:${server.port}`]);
    expect(headers['proxy-authorization']).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    server.endAll();
    // The end passes the proxy first.
    await sleep(300);
    expect((await get()).status).toBe(200);
    expect(proxy.seen).toHaveLength(2);
  });

  test('another host than the provider is called directly', async () => {
    const proxy = await startProxy(tunnel);
    const get = call(`https://127.0.0.1:${server.port}`, {
      ...allowed(),
      proxy: through(address, proxy.url),
    });
    expect([(await get()).status, proxy.seen.length]).toEqual([200, 0]);
  });

  test('an address that is not public is refused before the proxy hears of it', async () => {
    const proxy = await startProxy(tunnel);
    const resolve: OutboundOptions['resolve'] = async () => [{ address: '10.0.0.1', family: 4 }];
    const inside = `https://inside.example:${server.port}`;
    await expect(call(inside, { resolve, proxy: through(inside, proxy.url) })()).rejects.toMatchObject({
      reason: 'refused-address',
      sent: false,
    });
    const literal = `https://10.0.0.1:${server.port}`;
    await expect(call(literal, { proxy: through(literal, proxy.url) })()).rejects.toMatchObject({
      reason: 'refused-address',
    });
    expect(proxy.seen).toEqual([]);
  });

  test.each([
    [
      'refuses',
      'connect',
      (socket: Socket): void => void socket.end('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n'),
    ],
    ['closes', 'connect', (socket: Socket): void => void socket.destroy()],
    ['never answers', 'connect', (): void => undefined],
    ['is no tunnel', 'tls', (socket: Socket): void => void socket.end('HTTP/1.1 200 OK\r\n\r\n')],
  ] as const)(
    'a proxy that %s makes a call fail before anything of it was sent',
    async (_what, reason, treat) => {
      const proxy = await startProxy((_request, socket) => treat(socket));
      const get = call(address, { ...allowed(), proxy: through(address, proxy.url) });
      await expect(get()).rejects.toMatchObject({ reason, sent: false });
    },
  );
});

test.each([
  ['https://api.example.com', [], true],
  ['http://api.example.com', [], false],
  ['https://api.example.com', ['example.com'], false],
  ['https://api.example.com', ['.example.com'], false],
  ['https://api.example.com', ['*.EXAMPLE.com:443'], false],
  ['https://api.example.com', ['api.example.com:8443', 'ample.com', 'localhost'], true],
  ['https://api.example.com:8443', ['api.example.com:8443'], false],
  ['https://10.0.0.7', ['10.0.0.7'], false],
  ['https://api.example.com', ['*'], false],
])('calls to %s with NO_PROXY %p go through the proxy: %p', (address_, direct, isProxied) => {
  const proxy = chooseProxy({ HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: direct }, address_);
  expect(proxy !== undefined).toBe(isProxied);
});
