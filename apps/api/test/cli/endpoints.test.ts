import {
  createTestAccount,
  createTestDatabase,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccount } from '../../src/account/create-account.js';
import { createEndpoint } from '../../src/endpoint/change-endpoints.js';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
let account: TestAccount;
beforeAll(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
});
afterAll(() => database.close());

const run = <T>(...args: string[]) => runCommand<T>({ db: database.db }, 'endpoint', ...args);
const create = (...args: string[]) => run<{ id: string; secret: string }>('create', ...args);
const refusal = (text: string) => ({ code: 1, value: { error: { message: expect.stringContaining(text) } } });

test('an account has ten endpoints at most, also where two are created at once, and operators have their own', async () => {
  const args = [
    '--account',
    account.id,
    '--url',
    'https://example.com/x',
    '--types',
    'key.cap_reached,webhook.failing',
  ];
  const made = await Promise.all(Array.from({ length: 12 }, () => create(...args)));
  const ids = made.flatMap(({ code, value }) => (code === 0 ? [value.id] : []));
  expect(ids).toHaveLength(10);
  expect(await create(...args)).toMatchObject(refusal('10 endpoints'));
  const low = ['--url', 'https://example.com/y', '--types', 'account.balance_low', '--threshold', '5'];
  const { value } = await create('--operator', ...low);
  expect(value).toEqual({
    id: expect.stringMatching(/^ept_\w{22}$/),
    secret: expect.stringMatching(/^whsec_/),
  });
  expect((await run('list', '--operator')).value).toEqual([
    {
      id: value.id,
      url: 'https://example.com/y',
      types: ['account.balance_low'],
      threshold: '$5.0000',
      waiting: 0,
      dropped: 0,
      failing_since: null,
      last_delivered_at: null,
      disabled_at: null,
      created_at: expect.any(String),
    },
  ]);
  await run('delete', ids[0] ?? '');
  expect((await run('list', '--account', account.id)).value).toHaveLength(9);
  const { rows } = await database.pool.query(
    "SELECT action, detail::text FROM audit_entries WHERE action LIKE 'endpoint.%'",
  );
  expect(rows.filter(({ action }) => action === 'endpoint.create')).toHaveLength(11);
  expect(rows.filter(({ action }) => action === 'endpoint.delete')).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain('whsec_');
});

test.each([
  [['--url', 'http://127.0.0.1:9/x', '--types', 'key.cap_reached'], 'public Internet'],
  [['--url', 'ftp://example.com/x', '--types', 'key.cap_reached'], 'http or https'],
  [['--url', 'https://example.com', '--types', 'task.completed'], 'types of an endpoint'],
  [['--url', 'https://example.com', '--types', ''], 'types of an endpoint'],
  [['--url', 'https://example.com', '--types', 'account.balance_low'], 'threshold'],
  [['--url', 'https://example.com', '--types', 'key.cap_reached', '--threshold', '5'], 'threshold'],
])('an endpoint with %j is refused', async (args, text) => {
  const other = await createTestAccount(database);
  expect(await create('--account', other.id, ...args)).toMatchObject(refusal(text));
});

test('a mailbox is one of a log-in of the account, where the gateway sends mail', async () => {
  const email = `${crypto.randomUUID()}@example.com`;
  const { db } = database;
  const owner = await createAccount(
    { db },
    { email, password: 'long enough 7', openingMicros: 0n, actor: 'test' },
  );
  const add = (url: string, sendsMail = true) =>
    createEndpoint(
      { db, isAllowedUrl: () => true, sendsMail },
      { accountId: owner.id, url, types: ['key.cap_reached'], thresholdMicros: null, actor: 'test' },
    );
  await expect(add(`mailto:${email}`)).resolves.toMatchObject({ id: expect.any(String) });
  await expect(add('mailto:victim@example.com')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(add('mailto:nobody')).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  await expect(add(`mailto:${email}`, false)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
});

test('exactly one owner has to be named, and an unknown account is none', async () => {
  const args = ['--url', 'https://example.com', '--types', 'key.cap_reached'];
  expect(await create(...args)).toMatchObject(refusal('--account ID or --operator'));
  expect(await create('--operator', '--account', account.id, ...args)).toMatchObject(
    refusal('--account ID or --operator'),
  );
  expect(await create('--account', 'acc_unknown', ...args)).toMatchObject(refusal('no account'));
  expect(await run('delete', 'ept_unknown')).toMatchObject(refusal('no endpoint'));
});
