import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import { newOwner } from './support/people.js';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32), TRUST_PROXY: 'loopback' });
});
afterAll(() => api.stop());

test('guessing passwords ends after ten wrong ones, also for the right one; another address and another log-in go on', async () => {
  const owner = await newOwner(api);
  const other = await newOwner(api);
  const from = (ip: string) => ({ 'x-forwarded-for': ip });
  const guess = async (password: string, email = owner.email, ip = '203.0.113.7') =>
    openBrowser(api).post('/sign-in', { email, password }, from(ip));
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) statuses.push((await guess(`wrong one ${i}`)).status);
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401));
  expect(statuses.at(-1)).toBe(429);
  const refused = await guess(owner.password);
  expect({ status: refused.status, code: refused.error?.code }).toEqual({
    status: 429,
    code: 'RATE_LIMITED',
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await guess(owner.password, owner.email, '203.0.113.8')).status).toBe(200);
  expect((await guess(other.password, other.email)).status).toBe(200);
});

test('somebody who knows the password is never held up by logging in often', async () => {
  const owner = await newOwner(api);
  for (let i = 0; i < 25; i++) expect((await openBrowser(api).post('/sign-in', owner)).status).toBe(200);
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
