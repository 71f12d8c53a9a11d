import { grantSignupCredit } from '@image-gateway/shared/billing';
import { newId } from '@image-gateway/shared/ids';
import { createTestAccount, createTestDatabase, type TestDatabase, takeEvents } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { askForCredit } from '../src/account/credit-requests.js';
import { runCommand } from './cli/support/run-command.js';
import { subscribe } from './support/subscribe.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const types = ['account.credit_requested', 'ledger.check_failed', 'signup.credit_exhausted'];
  await subscribe(database, types);
});
afterAll(() => database.close());

test('a request for credit is told once a day and account', async () => {
  const { id: accountId } = await createTestAccount(database);
  const wish = { accountId, email: 'ann@example.com', amountMicros: 5_000_000n, note: null };
  const asked = await Promise.allSettled([askForCredit(database.db, wish), askForCredit(database.db, wish)]);
  expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const data = { account_id: accountId, email: 'ann@example.com', amount: '$5.0000' };
  expect(await takeEvents(database)).toEqual([{ type: 'account.credit_requested', data }]);
});

test('the end of the credit for sign-ups is told once a day', async () => {
  const deps = { db: database.db, newId };
  const results = [];
  for (let count = 0; count < 4; count++) {
    const { id: accountId } = await createTestAccount(database);
    const terms = {
      address: `${count}@example.com`,
      network: `${count}`,
      amountMicros: 500_000n,
      dayLimitMicros: 1_000_000n,
    };
    results.push(await grantSignupCredit(deps, { accountId, ...terms }));
  }
  expect(results).toEqual([true, true, false, false]);
  expect(await takeEvents(database)).toEqual([
    { type: 'signup.credit_exhausted', data: { limit: '$1.0000' } },
  ]);
});

test('a check of the ledger that fails tells which invariants are broken, a good one tells nothing', async () => {
  const check = () => runCommand({ db: database.db }, 'ledger', 'check');
  expect((await check()).code).toBe(0);
  const { id } = await createTestAccount(database);
  await database.pool.query('UPDATE accounts SET open_count = 7 WHERE id = $1', [id]);
  expect((await check()).code).toBe(1);
  await database.pool.query('UPDATE accounts SET open_count = 0 WHERE id = $1', [id]);
  const [event, ...more] = await takeEvents(database);
  expect(more).toEqual([]);
  expect(event).toMatchObject({
    type: 'ledger.check_failed',
    data: { invariants: [expect.stringMatching(/^I\d+ /)] },
  });
});
