import { randomBytes } from 'node:crypto';
import { settleTask } from '@image-gateway/shared/billing';
import {
  addOutput,
  claimDeliveries,
  claimTask,
  createDatabase,
  type Database,
  finishDelivery,
} from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findSystem } from '../src/system/find-system.js';
import { runCommand } from './cli/support/run-command.js';

const role = `app_${randomBytes(4).toString('hex')}`;

let owner: TestDatabase;
let db: Database;

const grant = async (env: Readonly<Record<string, string>> = {}) => {
  const settings = { DATABASE_URL: owner.url, APPLICATION_ROLE: role, APPLICATION_PASSWORD: 'secret' };
  return (await runCommand({ env: { ...settings, ...env } }, 'migrate')).value;
};

beforeAll(async () => {
  owner = await createTestDatabase();
  await grant();
  const url = new URL(owner.url);
  url.username = role;
  url.password = 'secret';
  db = createDatabase({ url: url.href, applicationName: 'test' });
});
afterAll(async () => {
  await db.close();
  await owner.pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await owner.close();
});

test('the role of the processes suffices for a task from its submit to its webhook', async () => {
  // Twice: each start of the containers grants again.
  expect(await grant()).toMatchObject({ applied: [], role });
  const account = await createTestAccount(owner);
  const { id: taskId } = await createTestTask(db, account, {
    request: { webhook_url: 'http://hook.example/' },
  });
  const task = await claimTask(db, { workerId: 'w', leaseMs: 30_000, maxTries: 3 }, taskId);
  const output = { index: 0, slot: 0, key: `images/${taskId}/0.png`, contentType: 'image/png' };
  const image = { bytes: 1, width: 1, height: 1, sha256: 'x' };
  await addOutput(db, { taskId, attempt: task?.attempt ?? 0 }, { ...output, ...image });
  const deps = { db, newId, fileUrl: 'http://gateway.test/files' };
  const end = await settleTask(deps, { taskId, attempt: task?.attempt ?? 0, reason: 'x' });
  if (!end.settled || end.deliveryId === null) {
    throw new Error('no webhook');
  }
  const [delivery] = await claimDeliveries(db, [end.deliveryId], 20_000);
  const outcome = { id: end.deliveryId, attempt: delivery?.attempt ?? 0, status: 200, error: null };
  expect(await finishDelivery(db, { ...outcome, end: { state: 'delivered' } })).toBe(true);
  expect(await findSystem(db, { allBytes: 1 })).toMatchObject({ open_tasks: 0, completed_today: 1 });
  await owner.checkInvariants();
});

test.each([
  'CREATE TABLE more ()',
  'ALTER TABLE tasks DISABLE TRIGGER ALL',
  'DROP TABLE ledger_transfers',
  'TRUNCATE ledger_transfers',
  'DROP FUNCTION is_caller_failure',
  'DELETE FROM _prisma_migrations',
])('the role of the processes may not %s', async (text) => {
  await expect(db.run({ name: `forbidden-${text.length}`, text }, [])).rejects.toMatchObject({
    cause: { code: '42501' },
  });
});

test('with a database whose roles are managed elsewhere nothing is granted', async () => {
  const other = `${role}_managed`;
  expect(await grant({ APPLICATION_ROLE: other, APPLICATION_ROLE_IS_MANAGED: 'true' })).not.toHaveProperty(
    'role',
  );
  const found = await owner.pool.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [other]);
  expect(found.rowCount).toBe(0);
});
