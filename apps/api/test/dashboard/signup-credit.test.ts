import type { CreditRequestItem } from '@image-gateway/shared/account/schema';
import type { DashboardSession } from '@image-gateway/shared/user/schema';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { openBrowser } from './support/browser.js';
import { newOperator, newOwner, type Person } from './support/people.js';

const password = 'correct horse 9 battery';

let api: TestApi;
let operator: Person;
beforeAll(async () => {
  api = await startApi({
    AUTH_SECRET: 'x'.repeat(32),
    ALLOW_SIGNUP: 'true',
    SIGNUP_CREDIT: '0.50',
    SIGNUP_CREDIT_LIMIT: '2.20',
    SUPPORT_URL: 'mailto:help@example.com',
    TOP_UP_URL: 'https://pay.example/',
    TRUST_PROXY: 'loopback',
  });
  operator = await newOperator(api);
});
afterAll(async () => {
  await api.test.checkInvariants();
  await api.stop();
});

/** Signs up from an address, logs in, and returns what the account has. */
const signUp = async (email: string, ip: string): Promise<unknown> => {
  const browser = openBrowser(api);
  const { status, text } = await browser.post('/sign-up', { email, password }, { 'x-forwarded-for': ip });
  expect([status, text]).toEqual([200, expect.stringContaining('"data":{}')]);
  expect((await browser.get('/session')).data).toMatchObject({ user: null });
  await browser.post('/sign-in', { email, password });
  return (await browser.get('/overview')).data.balance;
};

describe('the credit of a sign-up', () => {
  test('is given once for an address, three times a day for a network, and up to the limit of the day; the operator is told', async () => {
    const network = (host: number) => `192.0.2.${host}`;
    expect(await signUp('a@example.com', network(1))).toBe('$0.5000');
    // The answer is the same for an address that has an account, and gives nothing.
    expect(await signUp('a@example.com', network(1))).toBe('$0.5000');
    expect(await signUp('a+again@example.com', network(2))).toBe('$0.00');
    expect(await signUp('b@example.com', network(2))).toBe('$0.5000');
    expect(await signUp('c@example.com', network(3))).toBe('$0.5000');
    expect(await signUp('d@example.com', network(4))).toBe('$0.00');
    const site = (subnet: string) => `2001:db8:7:${subnet}::1`;
    const both = await Promise.all([signUp('e@example.com', site('1')), signUp('f@example.com', site('2'))]);
    expect(both.sort()).toEqual(['$0.00', '$0.5000']);
    expect((await operator.get('/operator/system')).data).toMatchObject({ signups_without_credit_today: 2 });
    const { rows } = await api.test.pool.query(
      "SELECT kind, debit_account, count(*)::int FROM ledger_transfers WHERE external_ref = 'signup:' || account_id GROUP BY 1, 2",
    );
    expect(rows).toEqual([{ kind: 'adjust', debit_account: 'revenue', count: 4 }]);
  });

  test('every page knows it, and where the operator is found', async () => {
    const session = (await openBrowser(api).get('/session')).data as unknown as DashboardSession;
    expect(session).toMatchObject({ signup_credit: '$0.5000', support_url: 'mailto:help@example.com' });
    expect(session.top_up_url).toBe('https://pay.example/');
  });
});

describe('a request for credit', () => {
  test('reaches the operator once a day, and is answered by what is credited', async () => {
    const owner = await newOwner(api, 0n);
    const list = async (query = '') =>
      (await operator.get(`/operator/credit-requests${query}`)).data as unknown as CreditRequestItem[];
    expect((await owner.post('/credit-requests', { amount: 'much' })).status).toBe(400);
    expect((await owner.post('/credit-requests', { amount: '12.5', note: ' for a shop ' })).status).toBe(200);
    expect((await owner.post('/credit-requests', {})).error?.code).toBe('RATE_LIMITED');
    const asked = { account_id: owner.accountId, email: owner.email, amount: '$12.5000', note: 'for a shop' };
    expect(await list()).toMatchObject([asked]);
    expect(await list(`?account_id=${owner.accountId}`)).toMatchObject([asked]);
    await operator.post(`/operator/accounts/${owner.accountId}/credit`, { amount: '1', reason: 'trial' });
    expect(await list()).toEqual([]);
  });
});
