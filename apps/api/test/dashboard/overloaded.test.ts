import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type TestApi } from '../support/start-api.js';
import { openBrowser, type PageAnswer } from './support/browser.js';
import { newOperator, newOwner, type Owner } from './support/people.js';

let api: TestApi;
let owner: Owner;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32) });
  owner = await newOwner(api);
});
afterAll(() => api.stop());

/** Keeps everybody from a table while `work` goes on. */
async function whileLocked(table: string, work: () => Promise<PageAnswer>): Promise<PageAnswer> {
  const holder = await api.test.pool.connect();
  await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  try {
    return await work();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

describe('while the database is overloaded', () => {
  const newPassword = 'another horse 9';
  test.each([
    ['logging in', 'auth_users', () => openBrowser(api).post('/sign-in', owner)],
    ['logging in, at its last step', 'auth_sessions', () => openBrowser(api).post('/sign-in', owner)],
    ['looking who is logged in', 'auth_sessions', () => owner.get('/session')],
    ['a page', 'auth_sessions', () => owner.get('/overview')],
    ['a list', 'api_keys', () => owner.get('/keys')],
    [
      'changing the password',
      'auth_accounts',
      () => owner.post('/password', { current: owner.password, next: newPassword }),
    ],
    ['logging out', 'auth_sessions', () => owner.post('/sign-out')],
  ])('%s is 503 with a time to come back, never 500', async (_what, table, work) => {
    const { status, error, headers } = await whileLocked(table, work);
    expect({ status, code: error?.code }).toEqual({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('nothing of that has happened: the session and the password are good', async () => {
    expect((await owner.get('/overview')).status).toBe(200);
    expect((await openBrowser(api).post('/sign-in', owner)).status).toBe(200);
  });
});

test('a check of the books waits for longer than a request may', async () => {
  const operator = await newOperator(api);
  const holder = await api.test.pool.connect();
  await holder.query('BEGIN; LOCK TABLE ledger_transfers IN ACCESS EXCLUSIVE MODE');
  const checking = operator.post('/operator/ledger/check');
  try {
    await eventually(async () => {
      const { rowCount } = await api.test.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE split_part(application_name, '/', 1) = 'image-gateway-books'
            AND wait_event_type = 'Lock' AND clock_timestamp() - query_start > interval '2.6 seconds'`,
      );
      expect(rowCount).toBe(1);
    });
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  const { status, data } = await checking;
  expect({ status, broken: data.broken }).toEqual({ status: 200, broken: [] });
});
