import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let network = 0;

beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_KEY: '5/3600', RATE_LIMIT_IP: '12/3600', TRUST_PROXY: 'loopback' });
  // Decisions are shared from the moment on that Redis is connected.
  await eventually(async () => expect((await api.call('/readyz')).json.data.redis).toBe('ok'));
});
afterAll(() => api.stop());

const address = () => `198.51.100.${++network}`;
const ask = (from: string, as?: TestAccount, path = '/v1/tasks') =>
  api.call(path, { headers: { 'x-forwarded-for': from }, ...(as && { as }) });
const askTimes = (times: number, from: string, as?: TestAccount) =>
  Promise.all(Array.from({ length: times }, () => ask(from, as)));
const count = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

describe('rate limits', () => {
  test('rate limits of a key: exactly so many pass at once, from wherever; the rest is 429 with Retry-After', async () => {
    const account = await api.account();
    const answers = [...(await askTimes(4, address(), account)), ...(await askTimes(4, address(), account))];
    expect([count(answers, 200), count(answers, 429)]).toEqual([5, 3]);
    const [refused] = answers.filter(({ status }) => status === 429);
    expect(refused?.json.error.code).toBe('RATE_LIMITED');
    // One of five in an hour: another one after 12 minutes.
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(700);
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(720);
  });

  test('rate limits of an address: all its keys together', async () => {
    const from = address();
    const answers: Answer[] = [];
    for (let i = 0; i < 4; i++) {
      answers.push(...(await askTimes(4, from, await api.account())));
    }
    expect([count(answers, 200), count(answers, 429)]).toEqual([12, 4]);
  });

  test('rate limits of an IPv6 network: all of its /64', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, async (_, i) => ask(`2001:db8:1:2:${i}::1`, await api.account())),
    );
    expect([count(answers, 200), count(answers, 429)]).toEqual([12, 2]);
    expect((await ask('2001:db8:1:3::1', await api.account())).status).toBe(200);
  });

  test.each([
    ['ports', (n: number) => `203.0.113.8:${40_000 + n}`],
    ['ports of IPv6', (n: number) => `[2001:db8:7::1]:${40_000 + n}`],
    ['zones', (n: number) => `fe80::7%eth${n}`],
    ['IPv4 as IPv6', (n: number) => (n % 2 ? '203.0.113.10' : '::ffff:203.0.113.10')],
  ])('rate limits of an address hold behind a proxy that writes %s', async (_what, write) => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, async (_, n) => ask(write(n), await api.account())),
    );
    expect([count(answers, 200), count(answers, 429)]).toEqual([12, 2]);
  });

  test('rate limits of an address hold behind two proxies of which one writes ports', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, async (_, n) =>
        ask(`203.0.113.12, 127.0.0.1:${41_000 + n}`, await api.account()),
      ),
    );
    expect([count(answers, 200), count(answers, 429)]).toEqual([12, 2]);
    expect((await ask('203.0.113.13, 127.0.0.1:41000', await api.account())).status).toBe(200);
  });

  test('rate limits stand on every answer under /v1, also on errors and without a key', async () => {
    const account = await api.account();
    const from = address();
    const good = await ask(from, account);
    expect(good.headers.get('ratelimit-policy')).toBe('"key";q=5;w=3600, "ip";q=12;w=3600');
    expect(good.headers.get('ratelimit')).toBe('"key";r=4;t=720, "ip";r=11;t=300');
    for (const path of ['/v1/tasks?page=0', '/v1/nothing']) {
      expect((await ask(from, account, path)).headers.get('ratelimit')).toMatch(/^"key";r=\d;t=\d+, "ip";/);
    }
    const failed = await ask(from);
    expect(failed.headers.get('ratelimit-policy')).toBe('"ip";q=12;w=3600, "auth";q=20;w=60');
    expect(failed.headers.get('ratelimit')).toMatch(/, "auth";r=19;t=3$/);
    for (const path of ['/v1/openapi.json', '/v1/%']) {
      expect((await ask(from, undefined, path)).headers.get('ratelimit-policy')).toBe('"ip";q=12;w=3600');
    }
    expect((await api.call('/healthz')).headers.get('ratelimit')).toBeNull();
  });

  test('rate limits of failed log-ins: twenty a minute, however the limit of the address stands; good keys go on', async () => {
    const open = await startApi({ RATE_LIMIT_KEY: 'off', RATE_LIMIT_IP: 'off' });
    try {
      await eventually(async () => expect((await open.call('/readyz')).json.data.redis).toBe('ok'));
      const bad = { headers: { authorization: 'Bearer x' } };
      const as = await open.account();
      expect((await open.call('/v1/tasks', { as })).status).toBe(200);
      const answers = await Promise.all(Array.from({ length: 24 }, () => open.call('/v1/tasks', bad)));
      expect([count(answers, 401), count(answers, 429)]).toEqual([20, 4]);
      const refused = answers.find(({ status }) => status === 429);
      expect(refused?.json.error.message).toContain('failed authentications');
      expect(refused?.headers.get('ratelimit')).toMatch(/^"auth";r=0;t=\d+$/);
      const good = await open.call('/v1/tasks', { as });
      expect([good.status, good.headers.get('ratelimit')]).toEqual([200, null]);
    } finally {
      await open.stop();
    }
  });

  test('rate limits of failed authentications can be changed and switched off', async () => {
    const open = await startApi({ RATE_LIMIT_AUTH: 'off' });
    try {
      const answers = await Promise.all(Array.from({ length: 30 }, () => open.call('/v1/tasks')));
      expect(count(answers, 401)).toBe(30);
    } finally {
      await open.stop();
    }
  });

  test('rate limits of what is served without a key: files, documentation and pages of an address together', async () => {
    const open = await startApi({ RATE_LIMIT_FILES: '6/60', AUTH_SECRET: 'x'.repeat(32) });
    try {
      await eventually(async () => expect((await open.call('/readyz')).json.data.redis).toBe('ok'));
      const paths = [
        '/docs',
        '/docs/swagger-ui.css',
        '/dashboard',
        '/dashboard/assets/app-1234.js',
        '/files/x',
        '/files/images/gen_x/0.png',
      ];
      for (const path of paths) {
        expect([path, (await open.call(path)).status]).not.toEqual([path, 429]);
      }
      for (const path of paths) {
        const { status, headers } = await open.call(path);
        expect([path, status, headers.get('ratelimit')]).toEqual([
          path,
          429,
          expect.stringMatching(/^"files";r=0/),
        ]);
      }
      for (const path of ['/healthz', '/dashboard/api/session']) {
        expect((await open.call(path)).status).toBe(200);
      }
    } finally {
      await open.stop();
    }
  });

  test('do not believe X-Forwarded-For from a stranger', async () => {
    const closed = await startApi({ RATE_LIMIT_IP: '3/60' });
    try {
      await eventually(async () => expect((await closed.call('/readyz')).json.data.redis).toBe('ok'));
      const account = await closed.account();
      const answers = await Promise.all(
        Array.from({ length: 5 }, () =>
          closed.call('/v1/tasks', { as: account, headers: { 'x-forwarded-for': address() } }),
        ),
      );
      expect([count(answers, 200), count(answers, 429)]).toEqual([3, 2]);
    } finally {
      await closed.stop();
    }
  });
});
