import fs from 'node:fs';
import path from 'node:path';
import { adjustAccount, grantSignupCredit } from '@image-gateway/shared/billing';
import { EVENTS } from '@image-gateway/shared/contract';
import { claimEvents, tellLedgerCheck, tellStatedCost, tellUnpaidUploads } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  repositoryRoot,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { askForCredit } from '../src/account/credit-requests.js';
import { tellModeratedAccounts } from '../src/provider/moderated-accounts.js';
import { tellProviderNeeds } from '../src/provider/provider-needs.js';
import { subscribe } from './support/subscribe.js';

let database: TestDatabase;
let account: TestAccount;
beforeAll(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
});
afterEach(() => database.pool.query('DELETE FROM endpoints'));
afterAll(() => database.close());

const LEASE_MS = 1;
const subscribeTo = (type: string, accountId: string | null = null): Promise<string> =>
  subscribe(database, [type], {
    accountId,
    thresholdMicros: type === 'account.balance_low' ? 9_000_000n : null,
  });
/** Claims the events that are due, and returns their texts with T for each time. */
const claim = async (db: Pick<TestDatabase['db'], 'run'> = database.db): Promise<string[]> => {
  const { rows } = await database.pool.query<{ id: string }>(
    'SELECT id FROM endpoint_deliveries ORDER BY created_at, id',
  );
  const claimed = await claimEvents(
    db,
    rows.map(({ id }) => id),
    LEASE_MS,
  );
  return claimed.map(({ body }) => body.replace(/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"T"'));
};
const body = (type: string, data: string): string => `{"type":"${type}","timestamp":"T","data":${data}}`;

test('account.balance_low names the account, its balance and the threshold', async () => {
  await subscribeTo('account.balance_low', account.id);
  const change = { accountId: account.id, deltaMicros: -1_000_001n, reason: 'x', actor: 'test' };
  await adjustAccount({ db: database.db, newId }, change);
  const data = `{"account_id":"${account.id}","balance":"$8.999999","threshold":"$9.0000"}`;
  expect(await claim()).toEqual([body('account.balance_low', data)]);
});

test('key.cap_reached names the cap, the percentage and the money, and the value of a cap by value', async () => {
  const as = await createTestAccount(database);
  await subscribeTo('key.cap_reached', as.id);
  await database.pool.query(
    "UPDATE api_keys SET cap_month_micros = 10000, cap_per_key = 'user', cap_per_micros = 12500 WHERE id = $1",
    [as.apiKeyId],
  );
  await createTestTask(database.db, as, { request: { metadata: { user: 'an "otter"' } }, capPerKey: 'user' });
  const named = (rest: string): string => body('key.cap_reached', `{"key_id":"${as.apiKeyId}",${rest}}`);
  expect((await claim()).sort()).toEqual([
    named('"cap":"day_per","value":"an \\"otter\\"","percent":80,"limit":"$0.0125","used":"$0.0100"'),
    named('"cap":"month","percent":100,"limit":"$0.0100","used":"$0.0100"'),
    named('"cap":"month","percent":80,"limit":"$0.0100","used":"$0.0100"'),
  ]);
});

test('webhook.failing names the endpoint, since when it fails, and its last status where there was one', async () => {
  await subscribeTo('webhook.failing', account.id);
  for (const status of [503, null]) {
    const failing = await subscribeTo('key.cap_reached', account.id);
    await database.pool.query('SELECT note_attempt($1, false, $2::int), note_attempt($1, false, $2::int)', [
      failing,
      status,
    ]);
    const last = status === null ? '' : `,"last_status":${status}`;
    const data = `{"endpoint_id":"${failing}","url":"https://example.com/events","since":"T"${last}}`;
    expect(await claim()).toEqual([body('webhook.failing', data)]);
    await database.pool.query('DELETE FROM endpoint_deliveries');
  }
});

test('account.credit_requested names the account and its mail address, and amount and note where they are given', async () => {
  await subscribeTo('account.credit_requested');
  const wish = { accountId: account.id, email: 'ann@example.com' };
  await askForCredit(database.db, { ...wish, amountMicros: null, note: null });
  const other = await createTestAccount(database);
  await askForCredit(database.db, {
    ...wish,
    accountId: other.id,
    amountMicros: 5_000_000n,
    note: 'für uns',
  });
  const named = (id: string, rest: string): string =>
    body('account.credit_requested', `{"account_id":"${id}","email":"ann@example.com"${rest}}`);
  expect((await claim()).sort()).toEqual(
    [named(account.id, ''), named(other.id, ',"amount":"$5.0000","note":"für uns"')].sort(),
  );
});

test('account.moderated names the account, the refused calls and the first of them', async () => {
  await subscribeTo('account.moderated');
  const { id } = await createTestTask(database.db, account);
  await database.pool.query(
    `INSERT INTO provider_calls (id, task_id, attempt, provider, model, images_asked, slots, state)
     SELECT 'call_' || n, $1, 1, 'gemini', 'm', 1, '{0}', 'started' FROM generate_series(1, 21) n`,
    [id],
  );
  await database.pool.query(
    "UPDATE provider_calls SET state = 'refused', detail = 'moderation', finished_at = now()",
  );
  await tellModeratedAccounts(database.db);
  const data = `{"account_id":"${account.id}","refused":21,"since":"T"}`;
  expect(await claim()).toEqual([body('account.moderated', data)]);
});

test('files.unpaid_full names the percentage and the bytes', async () => {
  await subscribeTo('files.unpaid_full');
  const limits = { ownBytes: 1, allBytes: 5_368_709_120 };
  await tellUnpaidUploads(database.db, { refused: null, used: 5_000_000_000 }, limits);
  const data = '{"percent":80,"limit":5368709120,"used":5000000000}';
  expect(await claim()).toEqual([body('files.unpaid_full', data)]);
});

test('ledger.check_failed names the broken invariants', async () => {
  await subscribeTo('ledger.check_failed');
  await tellLedgerCheck(database.db, { broken: ['I1 one', 'I2 two'], fixed: [] });
  expect(await claim()).toEqual([body('ledger.check_failed', '{"invariants":["I1 one","I2 two"]}')]);
});

test('provider.needs_operator names provider, model and reason, from whichever part of the gateway it comes', async () => {
  await subscribeTo('provider.needs_operator');
  await tellProviderNeeds(database.db, [
    {
      kind: 'no-route',
      cause: 'no-route m',
      told: 'daily',
      provider: '*',
      model: null,
      observed: 'a key is "refused"',
      remediation: 'Replace it.',
      since: new Date(0),
    },
  ]);
  await tellStatedCost(database.db, { provider: 'bfl', model: 'flux', stated: '$9.0000', most: '$1.0000' });
  await database.pool.query("INSERT INTO provider_limits (name, cost_day_micros) VALUES ('fal', 100000)");
  await database.pool.query(
    "SELECT judge_calls(ARRAY['a'], ARRAY['fal'], ARRAY[80000::int8], NULL), judge_calls(ARRAY['b'], ARRAY['fal'], ARRAY[200000::int8], NULL)",
  );
  const named = (text: string): string => body('provider.needs_operator', text);
  expect((await claim()).sort()).toEqual([
    named('{"provider":"*","reason":"a key is \\"refused\\". Replace it.","since":"T"}'),
    named(
      '{"provider":"bfl","model":"flux","reason":"bfl said that a call of flux cost $9.0000. More than $1.0000 is not believed: the list cost was booked. Compare the vendor\'s invoice with the cost of its routes.","since":"T"}',
    ),
    named(
      '{"provider":"fal","reason":"80 percent of the ceiling of the day are used: $0.0800 of $0.1000","since":"T"}',
    ),
    named(
      '{"provider":"fal","reason":"the ceiling of the day is reached, calls wait: $0.00 of $0.1000","since":"T"}',
    ),
  ]);
});

test('signup.credit_exhausted names the limit of the day', async () => {
  await subscribeTo('signup.credit_exhausted');
  const credit = {
    accountId: account.id,
    address: 'a@b.c',
    network: '1',
    amountMicros: 2n,
    dayLimitMicros: 1n,
  };
  expect(await grantSignupCredit({ db: database.db, newId }, credit)).toBe(false);
  expect(await claim()).toEqual([body('signup.credit_exhausted', '{"limit":"$0.000001"}')]);
});

test('every attempt of an event sends the bytes that were written before the first one, whichever worker wrote them', async () => {
  await subscribeTo('ledger.check_failed');
  await tellLedgerCheck(database.db, { broken: ['I1'], fixed: [] });
  // Another worker, whose lease this one believes to be over, writes first.
  const written = '{"written":"by another worker"}';
  const db: Pick<TestDatabase['db'], 'run'> = {
    run: async (statement, values) => {
      if (statement.name === 'write-event-bodies') {
        await database.pool.query('UPDATE endpoint_deliveries SET body = $1, data = NULL', [written]);
      }
      return database.db.run(statement, values);
    },
  };
  expect(await claim(db)).toEqual([written]);
  await database.pool.query('UPDATE endpoint_deliveries SET next_attempt_at = now()');
  expect(await claim()).toEqual([written]);
});

test('an event that a former release has stored with its body is sent as it is', async () => {
  const endpoint = await subscribeTo('ledger.check_failed');
  const stored = '{"type":"ledger.check_failed","timestamp":"x","data":{"invariants" : ["I1"]}}';
  await database.pool.query(
    `INSERT INTO endpoint_deliveries (id, endpoint_id, host_port, type, body, next_attempt_at)
     VALUES ('msg_former', $1, 'example.com:443', 'ledger.check_failed', $2, now())`,
    [endpoint, stored],
  );
  expect(await claim()).toEqual([stored]);
});

test('docs/api.md lists the fields of each type in their order, and which of them may be absent', () => {
  const text = fs.readFileSync(path.join(repositoryRoot(), 'docs/api.md'), 'utf8');
  for (const [type, { data }] of Object.entries(EVENTS)) {
    const fields = Object.entries(data).map(([name, form]) => (form.endsWith('?') ? `${name}?` : name));
    expect(text).toContain(`| \`${type}\` | \`{${fields.join(', ')}}\``);
  }
});
