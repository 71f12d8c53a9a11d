import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';

const ORIGIN = 'https://app.example.com';
let api: TestApi;
let closed: TestApi;
beforeAll(async () => {
  api = await startApi({ CORS_ORIGINS: `${ORIGIN},https://other.example.com` });
  closed = await startApi({ OPENAI_FACADE: 'false' });
});
afterAll(async () => {
  await api.stop();
  await closed.stop();
});

const preflight = (path: string, origin = ORIGIN, on = api) =>
  on.call(path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,x-stainless-lang',
    },
  });

describe('CORS_ORIGINS', () => {
  test.each([
    ['/v1/generate', 'POST'],
    ['/openai/v1/images/generations', 'POST'],
    ['/v1/tasks/gen_1', 'GET,HEAD,DELETE'],
  ])('a preflight of %s needs no key and allows every header, without credentials', async (path, methods) => {
    const { status, headers, text } = await preflight(path);
    expect([status, text]).toEqual([204, '']);
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(headers.get('access-control-allow-headers')).toBe('authorization,x-stainless-lang');
    expect(headers.get('access-control-allow-methods')).toBe(methods);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toContain('Origin');
  });

  test('errors carry the headers too, and name what pages may read', async () => {
    const { status, headers } = await api.call('/openai/v1/models', { headers: { origin: ORIGIN } });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, ORIGIN]);
    expect(headers.get('access-control-expose-headers')).toContain('x-gateway-task-id');
  });

  test('other origins, other paths and unknown paths stay closed', async () => {
    const foreign = await preflight('/v1/generate', 'https://evil.example.com');
    const files = await preflight('/files/images/gen_1/0.png');
    const unknown = await preflight('/v1/nothing');
    const allowed = [foreign, files, unknown].map(({ headers }) =>
      headers.get('access-control-allow-origin'),
    );
    expect(allowed).toEqual([null, null, null]);
    expect([files.status, unknown.status]).toEqual([404, 401]);
  });

  test('no origin is allowed unless one is set', async () => {
    const { status, headers } = await preflight('/v1/generate', ORIGIN, closed);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, null]);
  });
});

test('OPENAI_FACADE=false leaves nothing of the facade', async () => {
  const account = await closed.account();
  const { status, json } = await closed.call('/openai/v1/models', { as: account });
  expect([status, json.error.code]).toEqual([404, 'NOT_FOUND']);
  expect((await closed.call('/v1/openapi.json')).text).not.toContain('/openai/v1');
  expect((await api.call('/v1/openapi.json')).text).toContain('/openai/v1/images/generations');
});
