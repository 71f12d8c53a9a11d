import { afterEach, describe, expect, test } from '@jest/globals';
import { createGuard } from '../../src/runtime/outbound/guard.js';
import {
  createOutbound,
  type OutboundError,
  type OutboundOptions,
  type ResolveHost,
} from '../../src/runtime/outbound/index.js';
import { startHttp, type TestServer } from './servers.js';

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function http(handler: Parameters<typeof startHttp>[0], host?: string): Promise<TestServer> {
  const server = await startHttp(handler, host);
  running.push(server);
  return server;
}
const canary = (host?: string) => http((_request, response) => response.end('secret'), host);
const redirectTo = (location: string, status = 302) =>
  http((_request, response) => response.writeHead(status, { location }).end());

const resolving =
  (...addresses: string[]): ResolveHost =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const allowing = (...servers: TestServer[]) => new Set(servers.map((server) => new URL(server.origin).host));
const get = (url: string, options: Partial<OutboundOptions> = {}, maxRedirects = 3) =>
  createOutbound({ allow: new Set(), connectTimeoutMs: 300, ...options }).fetchBytes({
    url,
    maxBytes: 1000,
    timeoutMs: 5_000,
    maxRedirects,
  });
const getReason = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: OutboundError) => error.reason,
  );

describe('the outbound guard', () => {
  test('an address that is not public is refused and never connected to', async () => {
    const canaries = [await canary(), await canary('127.0.0.2'), await canary('::1')];
    for (const { origin, port } of canaries) {
      expect(await getReason(get(origin))).toBe('refused-address');
      expect(await getReason(get(`http://0x7f.1:${port}/`))).toBe('refused-address');
      expect(await getReason(get(`http://[::ffff:127.0.0.1]:${port}/`))).toBe('refused-address');
    }
    expect(canaries.map((server) => server.connections())).toEqual([0, 0, 0]);
  });

  test('a name that resolves to such an address, alone or among public ones, is refused and never connected to', async () => {
    const server = await canary();
    const url = `http://images.example:${server.port}/a.png`;
    expect(await getReason(get(url, { resolve: resolving('127.0.0.1') }))).toBe('refused-address');
    expect(await getReason(get(url, { resolve: resolving('8.8.8.8', '127.0.0.1') }))).toBe('refused-address');
    expect(await getReason(get(url, { resolve: resolving('2606:4700::1111', '::1') }))).toBe(
      'refused-address',
    );
    expect(server.connections()).toBe(0);
  });

  test('a name is looked up once for a connection, so that a second answer cannot change where it goes', async () => {
    const server = await canary();
    const answers = [['198.41.0.4'], ['127.0.0.1'], ['127.0.0.1']];
    let asked = 0;
    const resolve: ResolveHost = (name) => resolving(...(answers[asked++] ?? []))(name);
    expect(await getReason(get(`http://rebind.example:${server.port}/`, { resolve }))).toBe('connect');
    expect(asked).toBe(1);
    expect(server.connections()).toBe(0);
  });

  test('names without an answer fail as dns, and slow name servers are not waited for', async () => {
    const never: ResolveHost = () => new Promise(() => undefined);
    const fails: ResolveHost = () => Promise.reject(new Error('SERVFAIL'));
    expect(await getReason(get('http://gone.example/', { resolve: fails }))).toBe('dns');
    expect(await getReason(get('http://gone.example/', { resolve: resolving() }))).toBe('dns');
    expect(await getReason(get('http://slow.example/', { resolve: never }))).toBe('dns');
  });

  test('localhost is no way around the guard', async () => {
    const server = await canary();
    for (const name of ['localhost', 'LocalHost.', 'a.b.localhost']) {
      expect(await getReason(get(`http://${name}:${server.port}/`))).toBe('refused-address');
    }
    expect(server.connections()).toBe(0);
  });

  test('exactly the allowed host and port get through, as an address and by name', async () => {
    const [allowed, other] = [await canary(), await canary()];
    const allow = new Set([`127.0.0.1:${allowed.port}`, `localhost:${allowed.port}`]);
    expect((await get(`${allowed.origin}/x`, { allow })).bytes.toString()).toBe('secret');
    expect((await get(`http://localhost:${allowed.port}/`, { allow })).status).toBe(200);
    expect(await getReason(get(other.origin, { allow }))).toBe('refused-address');
    expect(await getReason(get(`http://127.0.0.2:${allowed.port}/`, { allow }))).toBe('refused-address');
    expect(other.connections()).toBe(0);
  });

  test('a host of the configuration gets through on every port', async () => {
    const [one, two, stranger] = [await canary(), await canary(), await canary('127.0.0.2')];
    const allowHosts = new Set(['127.0.0.1']);
    expect((await get(one.origin, { allowHosts })).status).toBe(200);
    expect((await get(two.origin, { allowHosts })).status).toBe(200);
    expect(await getReason(get(stranger.origin, { allowHosts }))).toBe('refused-address');
  });

  test('a server of the operator may be private on exactly its port, and no link-local or metadata address', async () => {
    const [own, other] = [await canary(), await canary()];
    const allowServers = allowing(own);
    expect((await get(own.origin, { allowServers })).status).toBe(200);
    expect(await getReason(get(other.origin, { allowServers }))).toBe('refused-address');
    for (const host of ['169.254.169.254', '[fd00:ec2::254]', '[fe80::1]', '[::ffff:169.254.169.254]']) {
      const url = new URL(`http://${host}/`);
      const metadata = new Set([`${url.hostname}:80`]);
      expect(await getReason(get(url.href, { allowServers: metadata }))).toBe('refused-address');
    }
    const resolveTrusted = resolving('10.0.0.5', '169.254.169.254');
    const guard = createGuard({
      allow: new Set(),
      allowHosts: new Set(),
      allowServers: new Set(['gpu.example:80']),
      resolvePublic: resolveTrusted,
      resolveTrusted,
    });
    expect(await getReason(guard.resolve(new URL('http://gpu.example/')))).toBe('refused-address');
  });

  test.each([301, 302, 303, 307, 308])(
    'a %i to an address that is not public is refused before a connection is made',
    async (status) => {
      const target = await canary('127.0.0.2');
      const server = await redirectTo(`${target.origin}/`, status);
      expect(await getReason(get(server.origin, { allow: allowing(server) }))).toBe('refused-address');
      expect(target.connections()).toBe(0);
    },
  );

  test('a redirect to a name is looked up and checked like the first one', async () => {
    const target = await canary();
    const server = await redirectTo(`http://inside.example:${target.port}/`);
    const resolve = resolving('127.0.0.1');
    expect(await getReason(get(server.origin, { allow: allowing(server), resolve }))).toBe('refused-address');
    expect(target.connections()).toBe(0);
  });

  test.each([
    'file:///etc/passwd',
    'data:text/plain,x',
    'gopher://x/',
    'http://user:pass@8.8.8.8/',
    'http://',
  ])('a redirect to %s is refused', async (location) => {
    const server = await redirectTo(location);
    expect(await getReason(get(server.origin, { allow: allowing(server) }))).toBe('redirect');
  });

  test.each([
    'ftp://8.8.8.8/',
    'data:image/png;base64,AAAA',
    'file:///etc/passwd',
    'http://u@8.8.8.8/',
    'x',
    '',
  ])('%p is no URL for a call', async (url) => {
    expect(await getReason(get(url))).toBe('bad-url');
  });

  test('three redirects are followed, the fourth is not, and headers stay with the first origin', async () => {
    const seen: (string | undefined)[] = [];
    const end = await http((request, response) => {
      seen.push(request.headers['x-secret'] as string | undefined);
      response.end('here');
    });
    const hops = await http((request, response) => {
      seen.push(request.headers['x-secret'] as string | undefined);
      const left = Number(request.url?.slice(1));
      response.writeHead(302, { location: left > 1 ? `/${left - 1}` : `${end.origin}/end` }).end();
    });
    const outbound = createOutbound({ allow: allowing(hops, end) });
    const request = { maxBytes: 100, timeoutMs: 5_000, maxRedirects: 3, headers: { 'x-secret': 's' } };
    const found = await outbound.fetchBytes({ ...request, url: `${hops.origin}/3` });
    expect([found.bytes.toString(), found.url, seen]).toEqual([
      'here',
      `${end.origin}/end`,
      ['s', 's', 's', undefined],
    ]);
    expect(await getReason(outbound.fetchBytes({ ...request, url: `${hops.origin}/4` }))).toBe('redirect');
  });

  test('a proxy in the environment is not used', async () => {
    const [proxy, server] = [await canary(), await http((_request, response) => response.end('direct'))];
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) {
      process.env[name] = proxy.origin;
    }
    try {
      expect((await get(server.origin, { allow: allowing(server) })).bytes.toString()).toBe('direct');
    } finally {
      names.forEach((name, i) => {
        if (before[i] === undefined) {
          delete process.env[name];
        } else {
          process.env[name] = before[i];
        }
      });
    }
    expect(proxy.connections()).toBe(0);
  });
});
