import { gzipSync } from 'node:zlib';
import type { TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Test } from 'supertest';
import { rawExchange } from './support/raw-exchange.js';
import { startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let account: TestAccount;

beforeAll(async () => {
  api = await startApi();
  account = await api.account();
});
afterAll(() => api.stop());

interface Seen {
  readonly status: number;
  readonly text: string;
}

function expectError({ status, text }: Seen, expected: number, code: string): string {
  const envelope = JSON.parse(text);
  expect([status, envelope.data, envelope.error.code]).toEqual([expected, null, code]);
  expect(Object.keys(envelope)).toEqual(['data', 'error']);
  expect(envelope.error.message).not.toMatch(/\n|node_modules| at /);
  return envelope.error.message as string;
}

const good = JSON.stringify({ model: 'nanobanana', prompt: 'x' });
/** Keeps supertest from writing bytes as JSON. */
const untouched = (body: unknown): string => body as string;
const asOwner = (request: Test): Test => request.auth(account.apiKey, { type: 'bearer' });
const post = (body: string | Buffer, headers: Record<string, string> = {}): Test =>
  asOwner(api.http.post('/v1/generate'))
    .set({ 'content-type': 'application/json', ...headers })
    .serialize(untouched)
    .send(body);
const METHODS = {
  GET: (path: string) => api.http.get(path),
  POST: (path: string) => api.http.post(path),
  PUT: (path: string) => api.http.put(path),
  DELETE: (path: string) => api.http.delete(path),
  OPTIONS: (path: string) => api.http.options(path),
};

describe('a body that cannot be read is BAD_REQUEST', () => {
  test.each([
    ['broken JSON', '{"model":'],
    ['two values', `${good}${good}`],
    ['nothing', ''],
    ['257 KiB', JSON.stringify({ model: 'nanobanana', prompt: 'x', padding: 'a'.repeat(257 * 1024) })],
    ['a nesting that is not closed', '['.repeat(10_000)],
  ])('%s', async (_, body) => {
    expectError(await post(body), 400, 'BAD_REQUEST');
  });

  test.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'json' },
    { 'content-type': ';' },
    { 'content-type': 'application/json; charset=martian' },
    { 'content-type': 'application/json; charset=iso-8859-1' },
    { 'content-encoding': 'rot13' },
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'br' },
  ])('%j', async (headers) => {
    expectError(await post(good, headers as unknown as Record<string, string>), 400, 'BAD_REQUEST');
  });

  test('bytes that are not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"prompt":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expectError(await post(body), 400, 'BAD_REQUEST');
  });

  test('gzip that unpacks to more than 256 KiB', async () => {
    const packed = gzipSync(JSON.stringify({ padding: 'a'.repeat(1_000_000) }));
    expectError(await post(packed, { 'content-encoding': 'gzip' }), 400, 'BAD_REQUEST');
  });
});

describe('unknown places', () => {
  test.each([
    ['GET', '/v1/generate'],
    ['PUT', '/v1/generate'],
    ['OPTIONS', '/v1/generate'],
    ['DELETE', '/v1/tasks'],
    ['POST', '/v1/tasks'],
    ['POST', '/v1/openapi.json'],
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['GET', '/v1/nothing'],
    ['GET', '/v1/tasks//'],
  ] as const)('%s %s is 401 without a key and 404 with one', async (method, path) => {
    expectError(await METHODS[method](path), 401, 'UNAUTHORIZED');
    expectError(await asOwner(METHODS[method](path)), 404, 'NOT_FOUND');
  });

  test.each([
    '/nothing',
    '/v1x',
    '/V1/tasks',
    '//v1/tasks',
    '/healthz//',
    '/docs/package.json',
    '/docs/..%2fpackage.json',
  ])('%s is 404', async (path) => {
    expectError(await api.http.get(path), 404, 'NOT_FOUND');
  });

  test.each(['/v1/%', '/v1/tasks/%zz', '/v1/tasks/%c3%28', '/files/images/%/0.png'])(
    '%s is no URL: BAD_REQUEST',
    async (path) => {
      expectError(await asOwner(api.http.get(path)), 400, 'BAD_REQUEST');
    },
  );
});

describe('what is hardly HTTP is answered in the envelope too', () => {
  const raw = (text: string) => rawExchange(api.port, text);
  const request = (line: string, headers = '') => raw(`${line}\r\nConnection: close\r\n${headers}\r\n`);

  test.each([
    ['nonsense', 'NONSENSE\r\n\r\n'],
    ['a bad header', 'GET /v1/tasks HTTP/1.1\r\nbad header\r\n\r\n'],
    ['two lengths', 'POST /v1/generate HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    [
      'a length and chunks',
      'POST /v1/generate HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['too long a URL', `GET /v1/tasks?x=${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`],
    ['too long headers', `GET /v1/tasks HTTP/1.1\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`],
  ])('%s: 400', async (_, text) => {
    const answer = await raw(text);
    expectError(answer, 400, 'BAD_REQUEST');
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
  });

  test('a request without Host, one with an odd Expect, and an upgrade are answered like any other', async () => {
    expectError(await request('GET /v1/tasks HTTP/1.1'), 401, 'UNAUTHORIZED');
    expectError(await request('GET /v1/tasks HTTP/1.1', 'Expect: tea\r\n'), 401, 'UNAUTHORIZED');
    expectError(
      await raw('GET /v1/x HTTP/1.1\r\nConnection: close, Upgrade\r\nUpgrade: h2c\r\n\r\n'),
      401,
      'UNAUTHORIZED',
    );
  });

  test('CONNECT and a foreign absolute URL are 404 or 401, never a proxy', async () => {
    expectError(await raw('CONNECT example.com:443 HTTP/1.1\r\n\r\n'), 404, 'NOT_FOUND');
    expectError(await request('GET http://example.com/x HTTP/1.1'), 404, 'NOT_FOUND');
  });

  test('a token of 16,000 characters is 401', async () => {
    expectError(
      await request('GET /v1/tasks HTTP/1.1', `Authorization: Bearer ${'x'.repeat(16_000)}\r\n`),
      401,
      'UNAUTHORIZED',
    );
  });

  test('headers that are larger than 16 KiB with their URL are 400, which names the limit', async () => {
    const target = `/v1/tasks?x=${'a'.repeat(8_000)}`;
    const answer = await request(`GET ${target} HTTP/1.1`, `x: ${'b'.repeat(8_400)}\r\n`);
    expect(expectError(answer, 400, 'BAD_REQUEST')).toContain('16 KiB');
  });

  test.each(['http://[::1', 'http://', 'https://?x', '*'])(
    'the target %s, which is no path, is answered in the envelope',
    async (target) => {
      const answer = await request(`GET ${target} HTTP/1.1`);
      expectError(answer, 404, 'NOT_FOUND');
      expect(answer.headers['x-request-id']).toMatch(/^req_/);
    },
  );
});

describe('X-Request-Id', () => {
  test.each(['a', 'A1.b_c-d', 'x'.repeat(128)])('%.20s is kept', async (id) => {
    await api.http.get('/healthz').set('x-request-id', id).expect(200).expect('x-request-id', id);
  });

  test.each(['a b', 'x'.repeat(129), '<script>', 'a,b', '"'])('%.20s is replaced', async (id) => {
    await api.http
      .get('/healthz')
      .set('x-request-id', id)
      .expect(200)
      .expect('x-request-id', /^req_[0-9A-Za-z]{22}$/);
  });

  test('X-Request-Id is the same in the answer, in the log and in the task row', async () => {
    const id = 'trace-me_1.2';
    const { body } = await post(good, { 'x-request-id': id }).expect(202);
    const { rows } = await api.test.pool.query('SELECT request_id FROM tasks WHERE id = $1', [body.data.id]);
    expect(rows).toEqual([{ request_id: id }]);
    const line = api.lines.map((text) => JSON.parse(text)).find((entry) => entry.requestId === id);
    expect(line).toMatchObject({
      message: 'request',
      method: 'POST',
      route: '/v1/generate',
      status: 202,
      accountId: account.id,
    });
  });
});

describe('the log', () => {
  test('the log never holds keys, prompts, bodies or query strings', async () => {
    const planted = 'pl4nted';
    await post(
      JSON.stringify({
        model: 'nanobanana',
        prompt: planted,
        image_urls: [`https://example.com/?${planted}`],
      }),
    );
    await post(`{"model": ${planted}`);
    await asOwner(api.http.get(`/v1/tasks?page=${planted}`)).expect(400);
    await asOwner(api.http.get(`/v1/tasks/${planted}`)).expect(404);
    await api.http.get('/v1/tasks').auth(planted, { type: 'bearer' }).expect(401);
    const log = api.lines.join('\n');
    expect([log.includes(planted), log.includes(account.apiKey)]).toEqual([false, false]);
  });
});
