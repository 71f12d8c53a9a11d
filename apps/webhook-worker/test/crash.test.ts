import { claimDeliveries, type Database, finishDelivery } from '@image-gateway/shared/db';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  eventually,
  type Receiver,
  startReceiver,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { deliveryRow } from './support/delivery-row.js';
import { finishTask } from './support/finish-task.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

let database: TestDatabase;
let redisUrl = '';
let account: TestAccount;
let receiver: Receiver;
let hang = false;
const workers: TestWorker[] = [];

beforeEach(async () => {
  hang = false;
  database = await createTestDatabase();
  redisUrl = (await createTestRedis()).url;
  account = await createTestAccount(database);
  receiver = await startReceiver((response) => {
    if (!hang) {
      response.end('ok');
    }
  });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop(100)));
  await receiver.close();
  await database.checkInvariants('rest');
  await database.close();
});

const start = (db: Database = database.db): TestWorker => {
  const env = {
    OUTBOUND_ALLOW: receiver.hostPort,
    WEBHOOK_RETRY_SCHEDULE: '0.2,0.2,0.2',
    WEBHOOK_TIMEOUT_MS: '5000',
  };
  const worker = startWorker(db, env, redisUrl, { searchEveryMs: 50 });
  workers.push(worker);
  return worker;
};
/** The database of a worker that dies before it can write an outcome: its last words are never heard. */
const dyingBeforeOutcome = (): Database => ({
  ...database.db,
  run: (statement, values) =>
    statement.name === 'finish-delivery' ? new Promise(() => undefined) : database.db.run(statement, values),
});
const expireLease = () =>
  database.pool.query(
    `UPDATE webhook_deliveries SET lease_until = now() - interval '1 ms' WHERE state = 'sending'`,
  );
const getIds = (requests: Receiver['requests']) => requests.map(({ headers }) => headers['webhook-id']);

describe('a sender that dies', () => {
  test('between the answer and the commit: the webhook is sent once more, with the same id and a valid signature', async () => {
    const { deliveryId } = await finishTask(database, account, receiver.url);
    const dying = start(dyingBeforeOutcome());
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    await dying.stop(100);
    const next = start();
    await expireLease();
    await eventually(async () => expect((await deliveryRow(database, deliveryId)).state).toBe('delivered'));
    expect(getIds(receiver.requests)).toEqual([deliveryId, deliveryId]);
    for (const { body, headers } of receiver.requests) {
      expect(() =>
        new Webhook(account.webhookSecret).verify(body, headers as Record<string, string>),
      ).not.toThrow();
    }
    expect((await deliveryRow(database, deliveryId)).attempt).toBe(2);
    expect(next.log.join('\n')).toContain('it is due again');
  });

  test('while its lease lasts nobody else sends', async () => {
    const { deliveryId } = await finishTask(database, account, receiver.url);
    start(dyingBeforeOutcome());
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    const { rows } = await database.pool.query('SELECT lease_until - now() AS left FROM webhook_deliveries');
    expect(rows[0].left.seconds).toBeGreaterThan(5);
    const other = await finishTask(database, account, receiver.url);
    start();
    await eventually(() => expect(getIds(receiver.requests)).toContain(other.deliveryId));
    expect(getIds(receiver.requests).filter((id) => id === deliveryId)).toHaveLength(1);
    expect((await deliveryRow(database, deliveryId)).state).toBe('sending');
  });
});

describe('an attempt that was overtaken', () => {
  test('an attempt that was overtaken changes nothing, whatever it brings', async () => {
    const { deliveryId: id } = await finishTask(database, account, receiver.url);
    const [zombie] = await claimDeliveries(database.db, [id], 1);
    expect(zombie?.attempt).toBe(1);
    start();
    await eventually(async () => expect((await deliveryRow(database, id)).state).toBe('delivered'));
    const before = await deliveryRow(database, id);
    const late = { id, attempt: 1, end: { state: 'failed' }, status: 500, error: 'late' } as const;
    expect(await finishDelivery(database.db, late)).toBe(false);
    expect(await deliveryRow(database, id)).toEqual({ ...before, due_in_ms: null });
  });

  test('a delivery is claimed by one of many at a time', async () => {
    const { deliveryId: id } = await finishTask(database, account, receiver.url);
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => claimDeliveries(database.db, [id], 60_000)),
    );
    expect(claims.flat()).toHaveLength(1);
  });
});

describe('a sender that is asked to end', () => {
  test('a sender that is asked to end waits for the posts under way and writes what came of them', async () => {
    const { deliveryId } = await finishTask(database, account, receiver.url);
    const worker = start();
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    await worker.stop(2_000);
    expect((await deliveryRow(database, deliveryId)).state).toBe('delivered');
  });

  test('a sender that is asked to end cuts what does not end within the grace and makes it due again at once, for another one to send', async () => {
    hang = true;
    const { deliveryId } = await finishTask(database, account, receiver.url);
    const worker = start();
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    const asked = Date.now();
    await worker.stop(2_000);
    expect(Date.now() - asked).toBeLessThan(4_000);
    const row = await deliveryRow(database, deliveryId);
    expect([row.state, row.attempt, row.last_error]).toEqual(['pending', 1, 'interrupted']);
    expect(row.due_in_ms ?? 1).toBeLessThanOrEqual(1);
    hang = false;
    start();
    await eventually(async () => expect((await deliveryRow(database, deliveryId)).state).toBe('delivered'));
    expect(getIds(receiver.requests)).toEqual([deliveryId, deliveryId]);
  });
});

describe('while the database is away', () => {
  test('an outcome is written as soon as it is back, so that nobody gets the webhook twice', async () => {
    const { deliveryId } = await finishTask(database, account, receiver.url);
    let refused = 0;
    const db: Database = {
      ...database.db,
      run: async (statement, values) => {
        if (statement.name !== 'finish-delivery' || refused >= 3) {
          return database.db.run(statement, values);
        }
        refused += 1;
        throw new Error('the database is away');
      },
    };
    start(db);
    await eventually(async () => expect((await deliveryRow(database, deliveryId)).state).toBe('delivered'));
    expect([refused, receiver.requests.length]).toEqual([3, 1]);
  });
});
