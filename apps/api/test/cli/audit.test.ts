import { settleTask } from '@image-gateway/shared/billing';
import { addOutput, claimDeliveries, claimTask, finishDelivery } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from './support/run-command.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(
    `CREATE FUNCTION refuse_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no audit entry'; END $$`,
  );
});
afterAll(async () => {
  await database.checkInvariants();
  await database.close();
});

const TABLES = [
  'accounts',
  'api_keys',
  'tasks',
  'ledger_transfers',
  'usage_records',
  'usage_daily',
  'webhook_deliveries',
  'orphan_checks',
  'auth_users',
  'auth_accounts',
  'auth_sessions',
  'account_users',
];
const PASSWORD = ['--password', 'correct horse 9 battery'];

const run = (args: readonly string[]) => runCommand({ db: database.db }, ...args);
/** Returns a digest of all rows of each table. */
const readTables = () =>
  Promise.all(
    TABLES.map(async (table) => {
      const { rows } = await database.pool.query(
        `SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) AS rows FROM ${table} t`,
      );
      return [table, rows[0].rows] as const;
    }),
  );
const countEntries = async (): Promise<number> =>
  (await database.pool.query('SELECT count(*)::int AS entries FROM audit_entries')).rows[0].entries;

/** Makes a running task, or one that is completed and whose webhook was given up. */
const makeTask = async (account: TestAccount, state: 'pending' | 'running' | 'completed') => {
  const request = { webhook_url: 'https://hooks.example/x' };
  const { id } = await createTestTask(database.db, account, { request });
  if (state === 'pending') {
    return { id, deliveryId: '' };
  }
  const claimed = await claimTask(database.db, { workerId: 'w', leaseMs: 60_000, maxTries: 3 }, id);
  const attempt = claimed?.attempt ?? 0;
  if (state === 'running') {
    return { id, deliveryId: '' };
  }
  const image = { contentType: 'image/png', bytes: 10, width: 1, height: 1, sha256: 'x' };
  const output = { index: 0, slot: 0, key: `images/${id}/0.png`, ...image };
  await addOutput(database.db, { taskId: id, attempt }, output);
  const end = await settleTask(
    { db: database.db, newId, fileUrl: 'http://f' },
    { taskId: id, attempt, reason: 'x' },
  );
  const deliveryId = end.settled ? (end.deliveryId ?? '') : '';
  const [delivery] = await claimDeliveries(database.db, [deliveryId], 20_000);
  await finishDelivery(database.db, {
    id: deliveryId,
    attempt: delivery?.attempt ?? 0,
    status: 410,
    error: null,
    end: { state: 'failed' },
  });
  return { id, deliveryId };
};

/** Arguments of a command that writes one audit entry. */
type BuildArgs = (account: TestAccount) => readonly string[] | Promise<readonly string[]>;

const ACTS: readonly (readonly [string, BuildArgs])[] = [
  ['account create', () => ['--email', 'new@example.com', '--balance', '5', ...PASSWORD]],
  ['operator create', () => ['--email', 'operator@example.com', ...PASSWORD]],
  ['account set-password', ({ id }) => [id, '--email', 'owner@example.com', ...PASSWORD]],
  ['account rotate-webhook-secret', ({ id }) => [id]],
  ['account limits', ({ id }) => [id, '--max-open', '5']],
  ['account credit', ({ id }) => [id, '--amount', '1', '--reference', `r-${id}`]],
  ['account adjust', ({ id }) => [id, '--amount', '-0.01', '--reason', 'r']],
  ['account suspend', ({ id }) => [id, '--reason', 'r']],
  ['key create', ({ id }) => ['--account', id]],
  ['key update', ({ apiKeyId }) => [apiKeyId, '--cap-day', '1']],
  ['key rotate', ({ apiKeyId }) => [apiKeyId]],
  ['key revoke', ({ apiKeyId }) => [apiKeyId]],
  ['task requeue', async (account) => [(await makeTask(account, 'pending')).id]],
  ['task cancel', async (account) => [(await makeTask(account, 'pending')).id]],
  ['task fail', async (account) => [(await makeTask(account, 'running')).id, '--reason', 'r']],
  ['task refund', async (account) => [(await makeTask(account, 'completed')).id, '--reason', 'r']],
  ['task delete', async (account) => [(await makeTask(account, 'completed')).id]],
  ['webhook resend', async (account) => [(await makeTask(account, 'completed')).deliveryId]],
];

describe('acts of operators', () => {
  test.each(ACTS)('%s happens with its audit entry or not at all', async (command, buildArgs) => {
    const account = await createTestAccount(database, { balanceMicros: 1_000_000n });
    const args = [...command.split(' '), ...(await buildArgs(account))];
    const before = await readTables();
    await database.pool.query(
      'CREATE TRIGGER refuse_audit BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION refuse_audit()',
    );
    try {
      expect((await run(args)).value.error?.code).toBe('INTERNAL_ERROR');
    } finally {
      await database.pool.query('DROP TRIGGER refuse_audit ON audit_entries');
    }
    expect(await readTables()).toEqual(before);
    const entries = await countEntries();
    expect((await run(args)).code).toBe(0);
    expect(await countEntries()).toBe(entries + 1);
    expect(await readTables()).not.toEqual(before);
  });
});
