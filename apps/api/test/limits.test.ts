import { eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, startApi, type TestApi } from './support/start-api.js';

let api: TestApi;
let network = 0;

beforeAll(async () => {
  api = await startApi({ RATE_LIMIT_KEY: '5/60', RATE_LIMIT_IP: '12/60', TRUST_PROXY: 'loopback' });
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
  test('of a key: exactly so many pass at once, from wherever; the rest is 429 with Retry-After', async () => {
    const account = await api.account();
    const answers = [...(await askTimes(4, address(), account)), ...(await askTimes(4, address(), account))];
    expect([count(answers, 200), count(answers, 429)]).toEqual([5, 3]);
    const [refused] = answers.filter(({ status }) => status === 429);
    expect(refused?.json.error.code).toBe('RATE_LIMITED');
    expect(Number(refused?.headers.get('retry-after'))).toBe(12);
  });

  test('of an address: all its keys together', async () => {
    const from = address();
    const answers: Answer[] = [];
    for (let i = 0; i < 4; i++) answers.push(...(await askTimes(4, from, await api.account())));
    expect([count(answers, 200), count(answers, 429)]).toEqual([12, 4]);
  });

  test('of an IPv6 network: all of its /64', async () => {
    const answers = await Promise.all(
      Array.from({ length: 14 }, async (_, i) => ask(`2001:db8:1:2:${i}::1`, await api.account())),
    );
    expect([count(answers, 200), count(answers, 429)]).toEqual([12, 2]);
    expect((await ask('2001:db8:1:3::1', await api.account())).status).toBe(200);
  });

  test('stand on every answer under /v1, also on errors and without a key', async () => {
    const account = await api.account();
    const from = address();
    const good = await ask(from, account);
    expect(good.headers.get('ratelimit-policy')).toBe('"key";q=5;w=60, "ip";q=12;w=60');
    expect(good.headers.get('ratelimit')).toBe('"key";r=4;t=12, "ip";r=11;t=5');
    for (const path of ['/v1/tasks?page=0', '/v1/nothing'])
      expect((await ask(from, account, path)).headers.get('ratelimit')).toMatch(/^"key";r=\d;t=\d+, "ip";/);
    for (const answer of [
      await ask(from),
      await ask(from, undefined, '/v1/openapi.json'),
      await ask(from, undefined, '/v1/%'),
    ])
      expect(answer.headers.get('ratelimit-policy')).toBe('"ip";q=12;w=60');
    expect((await api.call('/healthz')).headers.get('ratelimit')).toBeNull();
  });

  test('of failed log-ins: twenty a minute, however the limit of the address stands; good keys go on', async () => {
    const open = await startApi({ RATE_LIMIT_KEY: 'off', RATE_LIMIT_IP: 'off' });
    try {
      await eventually(async () => expect((await open.call('/readyz')).json.data.redis).toBe('ok'));
      const bad = { headers: { authorization: 'Bearer x' } };
      const answers = await Promise.all(Array.from({ length: 24 }, () => open.call('/v1/tasks', bad)));
      expect([count(answers, 401), count(answers, 429)]).toEqual([20, 4]);
      const good = await open.call('/v1/tasks', { as: await open.account() });
      expect([good.status, good.headers.get('ratelimit')]).toEqual([200, null]);
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
