import { settleTask } from '@image-gateway/shared/billing';
import { claimDeliveries, finishDelivery, resendDelivery } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';
import {
  createTestAccount,
  createTestDatabase,
  createTestTask,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

let database: TestDatabase;
let accounts: TestAccount[];

beforeAll(async () => {
  database = await createTestDatabase();
  accounts = await Promise.all([1, 2, 3].map(() => createTestAccount(database)));
});
// The counters are held against the rows here, by the invariants.
afterAll(async () => {
  await database.close();
});

const finish = async (account: TestAccount, host: string): Promise<string> => {
  const task = await createTestTask(database.db, account, { request: { webhook_url: `http://${host}/` } });
  const deps = { db: database.db, newId, fileUrl: 'http://localhost/files' };
  const settled = await settleTask(deps, { taskId: task.id, attempt: 0, reason: 'x' });
  if (!settled.settled || settled.deliveryId === null) {
    throw new Error('no webhook');
  }
  return settled.deliveryId;
};
const send = async (ids: readonly string[], state: 'delivered' | 'failed'): Promise<void> => {
  const claimed = await claimDeliveries(database.db, ids, 20_000);
  await Promise.all(
    claimed.map(({ id, attempt }) =>
      finishDelivery(database.db, { id, attempt, end: { state }, status: null, error: null }),
    ),
  );
};
const readCounts = async ({ id }: TestAccount): Promise<unknown> => {
  const { rows } = await database.pool.query<{ counts: unknown }>(
    `SELECT json_build_array(a.webhook_count - COALESCE(b.ended, 0), COALESCE(b.hosts, 0)) AS counts
       FROM accounts a LEFT JOIN webhook_backlogs b ON b.account_id = a.id WHERE a.id = $1`,
    [id],
  );
  return rows[0]?.counts;
};

test('open tasks with a webhook count as webhooks that have not ended, deliveries until they end, receivers while one waits', async () => {
  const [account] = accounts as [TestAccount];
  await createTestTask(database.db, account, { request: { webhook_url: 'http://open.example/' } });
  await createTestTask(database.db, account, {});
  expect(await readCounts(account)).toEqual([1, 0]);
  const one = await finish(account, 'one.example');
  const two = await finish(account, 'one.example');
  const three = await finish(account, 'three.example');
  expect(await readCounts(account)).toEqual([4, 2]);
  await send([one, three], 'delivered');
  expect(await readCounts(account)).toEqual([2, 1]);
  await send([two], 'failed');
  expect(await readCounts(account)).toEqual([1, 0]);
  await resendDelivery(database.db, { id: two, auditId: newId('aud'), actor: 'test' });
  expect(await readCounts(account)).toEqual([2, 1]);
});

test('the counters survive many statements of several accounts at a time, in whatever order they come', async () => {
  const hosts = ['a.example', 'b.example', 'c.example'];
  const ids = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      finish(accounts[i % 3] as TestAccount, hosts[(i * 7) % 3] as string),
    ),
  );
  const shuffled = [...ids].sort((a, b) => (a.slice(-1) < b.slice(-1) ? -1 : 1));
  await Promise.all([
    ...shuffled.map((id) => send([id], 'delivered')),
    ...Array.from({ length: 30 }, (_, i) =>
      finish(accounts[(i + 1) % 3] as TestAccount, hosts[i % 3] as string),
    ),
  ]);
  const { rows } = await database.pool.query<{ hosts: number }>(
    'SELECT sum(hosts)::int AS hosts FROM webhook_backlogs',
  );
  expect(rows[0]?.hosts).toBeGreaterThan(3);
});
