import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import { newOwner, type Owner } from './support/people.js';

let api: TestApi;
let owner: Owner;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32), OUTBOUND_ALLOW: '127.0.0.1:9' });
  owner = await newOwner(api);
});
afterAll(() => api.stop());

describe('sessions and keys', () => {
  test.each(['/v1/tasks', '/v1/usage', '/v1/usage/summary'])(
    'a session opens nothing at %s',
    async (path) => {
      const { status, error } = await owner.get(`/${path}`, { cookie: owner.cookie() });
      expect({ status, message: error?.message }).toEqual({
        status: 401,
        message: 'Missing Authorization header',
      });
    },
  );

  test('a session submits nothing to /v1/generate', async () => {
    const body = { model: 'nanobanana', prompt: 'a fox' };
    expect((await owner.post('//v1/generate', body, { cookie: owner.cookie() })).status).toBe(401);
  });

  test('the token of a session is no API key', async () => {
    const token = decodeURIComponent(owner.cookie().split('=')[1] ?? '');
    for (const text of [token, token.split('.')[0] ?? '']) {
      expect((await api.call('/v1/tasks', { headers: { authorization: `Bearer ${text}` } })).status).toBe(
        401,
      );
    }
  });

  test.each([
    '/overview',
    '/keys',
    '/tasks',
    '/usage',
    '/usage.csv',
    '/webhooks',
    '/webhooks/secret',
    '/sessions',
  ])('an API key opens nothing at /dashboard/api%s', async (path) => {
    const account = await api.account();
    const { status, json } = await api.call(`/dashboard/api${path}`, { as: account });
    expect({ status, code: json.error.code }).toEqual({ status: 401, code: 'UNAUTHORIZED' });
  });
});

describe('a request that changes something', () => {
  const body = { name: 'x' };

  test.each([
    ['from another site', 'https://evil.example'],
    ['from another port of the same machine', 'http://127.0.0.1:1'],
    ['from a site whose name begins alike', 'http://127.0.0.1.evil.example'],
    ['without a place of origin', 'null'],
  ])('a request that changes something is refused %s', async (_what, origin) => {
    const { status, error } = await owner.post('/keys', body, { origin });
    expect({ status, code: error?.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
  });

  test('a request that changes something is refused when it does not say where it comes from', async () => {
    const response = await fetch(`${api.url}/dashboard/api/keys`, {
      method: 'POST',
      headers: { cookie: owner.cookie(), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(403);
  });

  test('a request that changes something is taken from the address that BASE_URL names, since a proxy may rename the host', async () => {
    expect((await owner.post('/keys', body, { origin: 'http://gateway.test' })).status).toBe(200);
  });

  test('a request that changes something is refused as a form of another site would send it', async () => {
    const response = await owner.post('/keys', undefined, { 'content-type': 'text/plain' });
    expect(response.status).toBe(400);
  });
});

/** Logs in with a wrong password, which is 401 where the origin is taken; `Host` can be any name, as a stranger's can lead here. */
const logInWith = (port: number, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const type = { 'content-type': 'application/json' };
    const asked = request({
      port,
      method: 'POST',
      path: '/dashboard/api/sign-in',
      headers: { ...type, ...headers },
    });
    asked.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    asked.end(JSON.stringify({ email: 'nobody@example.com', password: 'wrong' }));
  });

describe('the origin of a request', () => {
  test.each([
    'localhost:8080',
    'gateway.localhost:3000',
    '192.168.1.5:3000',
    '[fd00::5]:3000',
    '203.0.113.7',
  ])(
    'the origin of a request may be its own host %s, which no name service can lead elsewhere',
    async (host) => {
      expect(await logInWith(api.port, { host, origin: `http://${host}` })).toBe(401);
    },
  );

  test.each(['evil.example:3221', 'localhost.evil.example', '127.0.0.1.evil.example', 'gateway'])(
    'the origin of a request is never another name only because it equals the host %s',
    async (host) => {
      expect(await logInWith(api.port, { host, origin: `http://${host}` })).toBe(403);
      const forwarded = { 'x-forwarded-host': host, 'x-forwarded-proto': 'http' };
      expect(await logInWith(api.port, { host, origin: `http://${host}`, ...forwarded })).toBe(403);
    },
  );

  test('the origin of a request may be one that a trusted proxy names, with its scheme', async () => {
    const behind = await startApi({ AUTH_SECRET: 'x'.repeat(32), TRUST_PROXY: 'loopback' });
    const host = 'inside.example:3000';
    const forwarded = { 'x-forwarded-host': 'images.example', 'x-forwarded-proto': 'https' };
    expect(await logInWith(behind.port, { host, origin: 'https://images.example', ...forwarded })).toBe(401);
    expect(await logInWith(behind.port, { host, origin: 'http://images.example', ...forwarded })).toBe(403);
    expect(await logInWith(behind.port, { host, origin: 'http://inside.example:3000', ...forwarded })).toBe(
      403,
    );
    await behind.stop();
  });

  test('the origin of a request that is refused is told with the setting that names the right one', async () => {
    const { error } = await owner.post('/keys', { name: 'x' }, { origin: 'https://evil.example' });
    expect(error?.message).toContain('http://gateway.test (BASE_URL)');
  });
});

test('signing up can be switched off', async () => {
  const browser = openBrowser(api);
  const { status, error } = await browser.post('/sign-up', {
    email: 'a@b.example',
    password: 'long enough 7',
  });
  expect({ status, code: error?.code }).toEqual({ status: 403, code: 'FORBIDDEN' });
  expect((await browser.get('/session')).data).toMatchObject({ allow_signup: false, user: null });
});

test('an unknown path of the API is 404 in the envelope', async () => {
  const { status, error } = await owner.get('/nothing');
  expect({ status, code: error?.code }).toEqual({ status: 404, code: 'NOT_FOUND' });
});

describe('the pages', () => {
  test('the pages are one document for every path, which nobody may frame and in which no foreign script runs', async () => {
    for (const path of ['', '/', '/tasks', '/tasks/gen_1']) {
      const { status, headers, text } = await openBrowser(api).get(`//dashboard${path}`);
      expect({ status, text }).toEqual({
        status: 200,
        text: expect.stringContaining('<title>pages</title>'),
      });
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('cache-control')).toBe('no-cache');
    }
  });

  test('the pages have parts that are kept for ever, sent compressed to whoever takes that', async () => {
    const path = '//dashboard/assets/app-1234.js';
    const zipped = await openBrowser(api).get(path, { 'accept-encoding': 'gzip' });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(zipped.headers.get('cache-control')).toMatch(/immutable/);
    const plain = await openBrowser(api).get(path, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(plain.text).toBe(zipped.text);
    const etag = plain.headers.get('etag') ?? '';
    expect((await openBrowser(api).get(path, { 'if-none-match': etag })).status).toBe(304);
  });

  test.each(['assets/gone.js', 'assets/..%2f..%2fpackage.json', 'api'])('%s is 404', async (name) => {
    expect((await openBrowser(api).get(`//dashboard/${name}`)).status).toBe(404);
  });
});
