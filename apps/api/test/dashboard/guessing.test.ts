import { createRateLimiter } from '@image-gateway/shared/limits';
import { createLogger } from '@image-gateway/shared/logging';
import { createRedis } from '@image-gateway/shared/queues';
import { eventually, testServices } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createDeviceCookies, type Device } from '../../src/user/auth/device-cookies.js';
import { createSignInLimits } from '../../src/user/auth/sign-in-limits.js';
import { startApi, type TestApi } from '../support/start-api.js';
import { type Browser, openBrowser } from './support/browser.js';
import { newOwner, type Owner } from './support/people.js';

const SETTINGS = { AUTH_SECRET: 'x'.repeat(32), TRUST_PROXY: 'loopback' };
let api: TestApi;
beforeAll(async () => {
  api = await startApi(SETTINGS);
  await eventually(() => redis.ping());
});
afterAll(async () => {
  redis.disconnect();
  await api.stop();
});

const logger = createLogger({ service: 'test', level: 'error' });
const redis = createRedis({ url: testServices().redisUrl, mode: 'fail-fast', name: 'test', logger });
const limits = createSignInLimits(createRateLimiter({ redis }));
/** Wrong passwords, without the work of checking them. */
const fail = async (times: number, email: string, ip: string, device: Device | null = null) => {
  for (let i = 0; i < times; i++) {
    await limits.countFailure({ ip, email, device });
  }
};

test('guessing passwords ends after ten wrong ones, also for the right one; another address and another log-in go on', async () => {
  const owner = await newOwner(api);
  const other = await newOwner(api);
  const ip = '203.0.113.7';
  const guess = async (password: string, email = owner.email, from = ip) =>
    openBrowser(api).post('/sign-in', { email, password }, { 'x-forwarded-for': from });
  await fail(8, owner.email, ip);
  const statuses = [];
  for (let i = 0; i < 3; i++) {
    statuses.push((await guess('wrong one')).status);
  }
  expect(statuses).toEqual([401, 401, 429]);
  const refused = await guess(owner.password);
  expect({ status: refused.status, code: refused.error?.code }).toEqual({
    status: 429,
    code: 'RATE_LIMITED',
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await guess(owner.password, owner.email, '203.0.113.8')).status).toBe(200);
  expect((await guess(other.password, other.email)).status).toBe(200);
});

test('guessing passwords ends behind a proxy that writes ports, and the session shows the address without', async () => {
  const owner = await newOwner(api);
  const from = (n: number) => ({ 'x-forwarded-for': `203.0.113.17:${40_000 + n}` });
  await fail(9, owner.email, '203.0.113.17');
  const statuses: number[] = [];
  for (let n = 0; n < 2; n++) {
    const wrong = { email: owner.email, password: 'wrong one' };
    statuses.push((await openBrowser(api).post('/sign-in', wrong, from(n))).status);
  }
  expect(statuses).toEqual([401, 429]);
  const browser = openBrowser(api);
  const headers = { 'x-forwarded-for': '[2001:0db8:0:0::17]:443' };
  expect((await browser.post('/sign-in', owner, headers)).status).toBe(200);
  expect((await browser.get('/sessions')).text).toContain('"ip_address":"2001:db8::17"');
});

test('the /48 of an IPv6 address has sixteen times the budget of its /64 on the dashboard, for wrong passwords too', async () => {
  const limited = await startApi({
    ...SETTINGS,
    RATE_LIMIT_IP: '2/3600',
  });
  try {
    // Decisions are shared from the moment on that Redis is connected.
    await eventually(async () => expect((await limited.call('/readyz')).json.data.redis).toBe('ok'));
    const ask = async (network: number): Promise<number> =>
      (await openBrowser(limited).get('/session', { 'x-forwarded-for': `2001:db8:9:${network}::1` })).status;
    const statuses: number[] = [];
    for (let network = 1; network <= 34; network++) {
      statuses.push(await ask(network));
    }
    expect(statuses).toEqual([...Array(32).fill(200), 429, 429]);
  } finally {
    await limited.stop();
  }
  const checks: readonly unknown[][] = [];
  const limiter = {
    consume: async (given: readonly unknown[]) => {
      (checks as unknown[][]).push([...given]);
      return { allowed: true, retryAfterMs: 0, policies: [] };
    },
  };
  await createSignInLimits(limiter as never).admit({
    ip: '2001:db8:9:1::1',
    email: 'a@b.example',
    device: null,
  });
  expect(checks[0]).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ policy: 'sign-in-site', key: '2001:db8:9::/48', limit: 960 }),
      expect.objectContaining({ policy: 'sign-in-ip-site', key: '2001:db8:9::/48', limit: 320 }),
    ]),
  );
});

test('somebody who knows the password is never held up by logging in often', async () => {
  const owner = await newOwner(api);
  await fail(9, owner.email, '203.0.113.27');
  for (let i = 0; i < 2; i++) {
    const headers = { 'x-forwarded-for': '203.0.113.27' };
    expect((await openBrowser(api).post('/sign-in', owner, headers)).status).toBe(200);
  }
});

test('an unknown address and a wrong password are told alike', async () => {
  const owner = await newOwner(api);
  const wrong = await openBrowser(api).post('/sign-in', { email: owner.email, password: 'wrong one' });
  const unknown = await openBrowser(api).post('/sign-in', {
    email: 'nobody@example.com',
    password: 'wrong one',
  });
  expect([wrong.status, wrong.text]).toEqual([unknown.status, unknown.text]);
});

describe('while strangers guess at a log-in from everywhere', () => {
  let owner: Owner;
  const from = (n: number) => ({ 'x-forwarded-for': `198.51.100.${n}` });
  const wrong = async (n: number, browser = openBrowser(api)) =>
    (await browser.post('/sign-in', { email: owner.email, password: 'wrong one' }, from(n))).status;
  const getSignInStatus = async (browser: Browser, n: number) =>
    (await browser.post('/sign-in', owner, from(n))).status;
  let addresses = 0;
  /** Ten wrong passwords from an address, since more of them are not counted. One of a hundred is forgotten every nine seconds. */
  const guessOn = async (times: number) => {
    for (let i = 0; i < times; i += 10) {
      await fail(10, owner.email, `198.51.100.${++addresses}`);
    }
  };

  beforeAll(async () => {
    owner = await newOwner(api);
    await guessOn(100);
    expect(await wrong(1)).toBe(429);
  });
  beforeEach(() => guessOn(10));

  test('a browser that never logged in is held up, whatever device it claims to be', async () => {
    expect(await getSignInStatus(openBrowser(api), 99)).toBe(429);
    const forged = owner.cookie().replace(/\.(.)([^.]*)$/, (_all, first: string, rest: string) => {
      return `.${first === 'a' ? 'b' : 'a'}${rest}`;
    });
    const other = await newOwner(api);
    for (const cookie of [forged, other.cookie()]) {
      const headers = { ...from(98), cookie };
      expect((await openBrowser(api).post('/sign-in', owner, headers)).status).toBe(429);
    }
  });

  test('a browser in which the user logged in before gets in, also from the address of those who guess', async () => {
    await owner.post('/sign-out');
    expect(await getSignInStatus(owner, 99)).toBe(200);
    expect(await getSignInStatus(owner, 1)).toBe(200);
  });

  test('such a browser may guess ten times itself, and loses its standing with the password', async () => {
    const { AUTH_SECRET } = SETTINGS;
    const devices = createDeviceCookies({ db: api.test.db, secrets: [AUTH_SECRET], baseUrl: api.url });
    await fail(9, owner.email, '198.51.100.50', await devices.find(owner.cookie(), owner.email));
    expect([await wrong(50, owner), await wrong(50, owner)]).toEqual([401, 429]);
    await guessOn(10);
    expect(await getSignInStatus(owner, 50)).toBe(429);
    const before = owner.cookie();
    const { password: current } = owner;
    expect((await owner.post('/password', { current, next: 'a better one 42' }, from(51))).status).toBe(200);
    const login = { email: owner.email, password: 'a better one 42' };
    await guessOn(10);
    expect((await openBrowser(api).post('/sign-in', login, { ...from(52), cookie: before })).status).toBe(
      429,
    );
    expect((await owner.post('/sign-in', login, from(52))).status).toBe(200);
  });
});
