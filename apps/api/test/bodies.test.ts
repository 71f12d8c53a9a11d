import net from 'node:net';
import { gzipSync } from 'node:zlib';
import type { TestAccount } from '@image-gateway/testing';
import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  account = await api.account();
});
afterAll(() => api.stop());

/** Connection that sends a request by hand. */
class Client {
  readonly socket: net.Socket;
  readonly closed: Promise<number>;
  said = '';
  error: Error | null = null;

  constructor(port: number) {
    const begun = performance.now();
    this.socket = net.connect(port, '127.0.0.1');
    this.socket.on('data', (data) => {
      this.said += data.toString();
    });
    this.socket.on('error', (error) => {
      this.error = error;
    });
    this.closed = new Promise((resolve) => this.socket.on('close', () => resolve(performance.now() - begun)));
  }

  send(data: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.socket.write(data, () => resolve());
    });
  }

  async answered(status: number): Promise<void> {
    await eventually(() => expect(this.said).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `)), {
      timeoutMs: 3_000,
    });
  }
}

const post = (path: string, headers: Record<string, string | number>): string =>
  [
    `POST ${path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
const json = { 'content-type': 'application/json' };
const SIGN_IN = '/dashboard/api/sign-in';
const ours = { host: 'gateway.test', origin: 'http://gateway.test' };
const BRACKETS = '['.repeat(131_000) + ']'.repeat(131_000);

describe('a body', () => {
  test.each([
    ['a page of another origin', SIGN_IN, { host: 'gateway.test', origin: 'http://evil.test' }, 403],
    ['a change without a session', '/dashboard/api/keys', ours, 401],
    ['a request without a key', '/v1/generate', {}, 401],
    ['an edit without a key', '/openai/v1/images/edits', {}, 401],
  ])('a body of %s is not waited for', async (_what, path, headers, status) => {
    const client = new Client(api.port);
    await client.send(post(path, { ...json, ...headers, 'content-length': 100_000 }));
    await client.answered(status);
    expect(await client.closed).toBeLessThan(4_000);
    expect([client.said.toLowerCase().includes('connection: close'), client.error]).toEqual([true, null]);
  });

  test.each(['utf-16le', 'utf-16be'])(
    'a body in %s is refused, since its nesting cannot be judged',
    async (charset) => {
      const text = Buffer.from(
        `{"prompt":"\u2222\u0122","x":${'['.repeat(9_000)}${']'.repeat(9_000)}}`,
        'utf16le',
      );
      const response = await fetch(`${api.url}/v1/generate`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${account.apiKey}`,
          'content-type': `application/json; charset=${charset}`,
        },
        body: charset === 'utf-16be' ? text.swap16() : text,
      });
      expect([
        response.status,
        ((await response.json()) as { error: { message: string } }).error.message,
      ]).toEqual([400, 'The character set of the body is not supported; use UTF-8.']);
    },
  );

  test('a body of an address over its limit is not waited for', async () => {
    const limited = await startApi({ AUTH_SECRET: 'x'.repeat(32), RATE_LIMIT_IP: '2/60' });
    try {
      // Until Redis is there, each process counts in its own memory.
      await eventually(async () => expect((await limited.call('/readyz')).json.data.redis).toBe('ok'));
      for (const status of [401, 401, 429]) {
        const client = new Client(limited.port);
        await client.send(post('/dashboard/api/keys', { ...json, ...ours, 'content-length': 100_000 }));
        await client.answered(status);
        client.socket.destroy();
      }
    } finally {
      await limited.stop();
    }
  });

  test.each([
    ['compressed', { 'content-encoding': 'gzip' }, gzipSync(BRACKETS), 'Content-Encoding'],
    ['larger than 4 KiB', {}, Buffer.from(JSON.stringify({ email: 'a'.repeat(5_000) })), '4 KiB'],
  ])('a body of a log-in that is %s is refused unread', async (_what, headers, bytes, text) => {
    const client = new Client(api.port);
    await client.send(post(SIGN_IN, { ...json, ...ours, ...headers, 'content-length': bytes.length }));
    await client.send(bytes);
    await client.answered(400);
    expect(client.said).toContain(text);
    client.socket.destroy();
  });

  test.each([
    ['nested brackets', BRACKETS, 'nested deeper than 32'],
    ['very many entries', `[${'1,'.repeat(60_000)}1]`, 'more than 1000 entries'],
  ])('a body with %s is refused before it is parsed, compressed or not', async (_what, text, message) => {
    for (const [headers, body] of [
      [{}, Buffer.from(text)],
      [{ 'content-encoding': 'gzip' }, gzipSync(text)],
    ] as const) {
      const { status, error } = await fetch(`${api.url}/v1/generate`, {
        method: 'POST',
        headers: { ...json, ...headers, authorization: `Bearer ${account.apiKey}` },
        body,
      }).then(async (response) => ({
        status: response.status,
        ...((await response.json()) as { error: { message: string } }),
      }));
      expect([status, error.message]).toEqual([400, expect.stringContaining(message)]);
    }
  });

  test('bodies of strangers under way are at most 64 an address: over it the oldest is answered 503 and closed', async () => {
    const clients: Client[] = [];
    for (let i = 0; i < 65; i++) {
      const client = new Client(api.port);
      await client.send(post(SIGN_IN, { ...json, ...ours, 'content-length': 1_000 }));
      await client.send('{');
      clients.push(client);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => expect(clients.filter(({ said }) => said !== '')).toHaveLength(1), {
      timeoutMs: 5_000,
    });
    const [refused] = clients.filter(({ said }) => said !== '');
    expect(refused?.said).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After/i);
    await refused?.closed;
    // A client with a key is no stranger.
    expect((await api.call('/v1/tasks', { as: account })).status).toBe(200);
    for (const { socket } of clients) {
      socket.destroy();
    }
  });

  test('bodies of strangers under way are at most 1,000 a process: over it one is answered 503 and closed, whatever addresses they come from', async () => {
    const behindProxy = await startApi({ AUTH_SECRET: 'x'.repeat(32), TRUST_PROXY: 'loopback' });
    const clients: Client[] = [];
    const answered = () => clients.filter(({ said }) => said !== '');
    try {
      const enter = async (n: number): Promise<void> => {
        const address = `198.51.${Math.floor(n / 200)}.${n % 200}`;
        const client = new Client(behindProxy.port);
        clients.push(client);
        await client.send(
          `${post(SIGN_IN, { ...json, ...ours, 'x-forwarded-for': address, 'content-length': 1_000 })}{`,
        );
      };
      for (let n = 0; n < 1_000; n += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, i) => enter(n + i)));
      }
      expect((await behindProxy.call('/healthz')).status).toBe(200);
      expect(answered()).toEqual([]);
      await enter(1_000);
      await eventually(() => expect(answered()).toHaveLength(1), { timeoutMs: 8_000 });
      expect(answered()[0]?.said).toMatch(/^HTTP\/1\.1 503 [\s\S]*Retry-After/i);
      await answered()[0]?.closed;
    } finally {
      for (const { socket } of clients) {
        socket.destroy();
      }
      await behindProxy.stop();
    }
  });

  test('a large body that is refused early is read to its end, so that a client which sends first reads the answer', async () => {
    const bytes = 24 * 1024 * 1024;
    const client = new Client(api.port);
    await client.send(
      post('/openai/v1/images/edits', {
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': bytes,
      }),
    );
    for (let sent = 0; sent < bytes; sent += 1024 * 1024) {
      await client.send(Buffer.alloc(1024 * 1024));
    }
    await client.answered(401);
    await client.closed;
    expect([client.error, client.said]).toEqual([
      null,
      expect.stringContaining('Missing Authorization header'),
    ]);
  });

  test.each([
    ['of a log-in', SIGN_IN, { ...json, ...ours }, /^HTTP\/1\.1 400 /],
    ['with a key', '/v1/quote', { ...json, as: 'owner' }, /^HTTP\/1\.1 400 [\s\S]*small chunks/],
    [
      'of a form',
      '/v1/files',
      { 'content-type': 'multipart/form-data; boundary=x', as: 'owner' },
      /^HTTP\/1\.1 400 /,
    ],
    ['of an edit', '/openai/v1/images/edits', { ...json, as: 'owner' }, /^HTTP\/1\.1 400 /],
    ['without a key', '/v1/generate', json, /^HTTP\/1\.1 40[01] /],
    ['to an unknown path', '/x', json, /^HTTP\/1\.1 40[04] /],
    ['to a file', '/docs/swagger-ui-bundle.js', {}, /^HTTP\/1\.1 40[04] /],
  ])(
    'a body %s in tiny chunks is answered, and most of it is never read',
    async (_what, path, { as, ...headers }: Record<string, string>, answer) => {
      let served: net.Socket | undefined;
      api.server.once('connection', (socket: net.Socket) => (served = socket));
      const client = new Client(api.port);
      await client.send(
        post(path, {
          ...headers,
          ...(as && { authorization: `Bearer ${account.apiKey}` }),
          'transfer-encoding': 'chunked',
        }),
      );
      void client.send('1\r\nA\r\n'.repeat(2_000_000));
      await client.closed;
      expect(client.said).toMatch(answer);
      expect(served?.bytesRead).toBeLessThan(3 * 1024 * 1024);
    },
  );

  test('a compressed body that never unpacks to anything is refused once it is larger than it may be', async () => {
    const empty = gzipSync('');
    const client = new Client(api.port);
    await client.send(
      post('/v1/quote', {
        ...json,
        authorization: `Bearer ${account.apiKey}`,
        'content-encoding': 'gzip',
        'content-length': empty.length * 50_000,
      }).replace(/content-length: \d+/, 'transfer-encoding: chunked'),
    );
    const piece = Buffer.concat(Array.from({ length: 1_000 }, () => empty));
    const chunk = Buffer.concat([
      Buffer.from(`${piece.length.toString(16)}\r\n`),
      piece,
      Buffer.from('\r\n'),
    ]);
    for (let n = 0; n < 30; n++) {
      await client.send(chunk);
    }
    await client.answered(400);
    expect(client.said).toContain('larger than 256 KiB');
    await client.closed;
  });

  test('a form of thousands of parts that are neither fields nor files is refused', async () => {
    const part = '--x\r\na: b\r\n\r\n\r\n';
    const { status, json: answer } = await api.call('/v1/files', {
      as: account,
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: `${part.repeat(20_000)}--x--\r\n`,
    });
    expect([status, answer.error.message]).toEqual([400, 'The form has too many fields.']);
  });

  test('a small body that is there keeps its connection, also where it is refused unread', async () => {
    const client = new Client(api.port);
    for (let i = 1; i <= 2; i++) {
      await client.send(post('/v1/generate', { ...json, 'content-length': 100 }));
      await client.send(Buffer.alloc(100, ' '));
      await eventually(() => expect(client.said.match(/HTTP\/1\.1 401 /g)).toHaveLength(i));
    }
    expect(client.said.toLowerCase()).not.toContain('connection: close');
    client.socket.destroy();
  });
});
