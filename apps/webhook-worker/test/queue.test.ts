import { createLogger } from '@image-gateway/shared/logging';
import { createProducer, createRedis } from '@image-gateway/shared/queues';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  eventually,
  type Receiver,
  startReceiver,
  type TestAccount,
  type TestDatabase,
  type TestRedis,
} from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { deliveryRow } from './support/delivery-row.js';
import { finishTask } from './support/finish-task.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

let database: TestDatabase;
let account: TestAccount;
let receiver: Receiver;
let redis: TestRedis;
let worker: TestWorker | undefined;

beforeEach(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
  receiver = await startReceiver();
  redis = await createTestRedis();
});
afterEach(async () => {
  await worker?.stop();
  await receiver.close();
  await database.close();
});

const start = (redisUrl: string, options: { readonly searchEveryMs?: number } = {}): void => {
  worker = startWorker(database.db, { OUTBOUND_ALLOW: receiver.hostPort }, redisUrl, options);
};
const delivered = (id: string) =>
  eventually(async () => expect((await deliveryRow(database, id)).state).toBe('delivered'));

/** Puts hints into the queue, each twice, as often as it is called. */
async function hint(ids: readonly string[]): Promise<void> {
  const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
  const connection = createRedis({ url: redis.url, mode: 'fail-fast', name: 'test', logger });
  const producer = createProducer({ redis: connection });
  for (const traceId of ['one', 'two']) {
    expect(
      await producer.add(
        'webhook',
        ids.map((deliveryId) => ({ deliveryId, attempt: 0, traceId })),
      ),
    ).toBe('queued');
  }
  await producer.close();
  connection.disconnect();
}

describe('hints', () => {
  test('make the first attempts begin without a look into the database', async () => {
    start(redis.url, { searchEveryMs: 3_600_000 });
    for (let i = 0; i < 5; i++) {
      const { deliveryId } = await finishTask(database, account, receiver.url);
      await hint([deliveryId]);
      await delivered(deliveryId);
    }
  });

  test('hints that come twice, or for what is done or unknown, send nothing twice', async () => {
    start(redis.url);
    const { deliveryId } = await finishTask(database, account, receiver.url);
    await hint([deliveryId, 'msg_0000000000000000000000']);
    await delivered(deliveryId);
    await hint([deliveryId]);
    const other = await finishTask(database, account, receiver.url);
    await hint([other.deliveryId]);
    await delivered(other.deliveryId);
    expect(receiver.requests).toHaveLength(2);
  });

  test('hints are not needed: without Redis a look finds what is due, within seconds', async () => {
    start('redis://127.0.0.1:1');
    const { deliveryId } = await finishTask(database, account, receiver.url);
    await delivered(deliveryId);
    const late = worker?.log.map((line) => (JSON.parse(line) as { lateMs?: number }).lateMs ?? 0) ?? [];
    expect(Math.max(...late)).toBeLessThan(10_000);
  });

  test('hints that are lost with all of Redis cost no webhook', async () => {
    const finished = await Promise.all(
      Array.from({ length: 10 }, () => finishTask(database, account, receiver.url)),
    );
    await hint(finished.map(({ deliveryId }) => deliveryId));
    await redis.flush();
    start(redis.url);
    for (const { deliveryId } of finished) {
      await delivered(deliveryId);
    }
    expect(receiver.requests).toHaveLength(10);
  });
});
