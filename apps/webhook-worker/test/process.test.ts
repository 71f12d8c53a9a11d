import {
  createTestAccount,
  createTestDatabase,
  eventually,
  freePort,
  killPrograms,
  type Receiver,
  startProgram,
  startReceiver,
  type TestAccount,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { deliveryRow } from './support/delivery-row.js';
import { finishTask } from './support/finish-task.js';

let database: TestDatabase;
let account: TestAccount;
let receiver: Receiver;
let answering = true;

const start = (env: Record<string, string>) => startProgram('apps/webhook-worker', ['src/main.ts'], env);
const settings = () => ({
  DATABASE_URL: database.url,
  REDIS_URL: 'redis://127.0.0.1:1',
  OUTBOUND_ALLOW: receiver.hostPort,
  HOST: '127.0.0.1',
  METRICS_PORT: '0',
  SHUTDOWN_GRACE_MS: '2000',
  WEBHOOK_TIMEOUT_MS: '1000',
});
const untilDelivered = (id: string) =>
  eventually(async () => expect((await deliveryRow(database, id)).state).toBe('delivered'), {
    timeoutMs: 25_000,
  });

beforeAll(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
  receiver = await startReceiver((response) => {
    if (answering) {
      response.end('ok');
    }
  });
});
afterEach(() => {
  killPrograms();
});
afterAll(async () => {
  await receiver.close();
  await database.close();
});

describe('the process', () => {
  test('the process without settings names every missing one and ends with 1', async () => {
    const { ended, errors } = start({ WEBHOOK_RETRY_SCHEDULE: 'soon' });
    expect((await ended).code).toBe(1);
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'WEBHOOK_RETRY_SCHEDULE']) {
      expect(errors()).toContain(name);
    }
    expect(errors()).not.toMatch(/\n\s+at /);
  });

  test('killed while it posts, its webhook is sent by the next one with the same id', async () => {
    answering = false;
    const { deliveryId } = await finishTask(database, account, receiver.url);
    const first = start({ ...settings(), WEBHOOK_TIMEOUT_MS: '5000' });
    await eventually(() => expect(receiver.requests).toHaveLength(1));
    first.child.kill('SIGKILL');
    await first.ended;
    answering = true;
    await database.pool.query(
      `UPDATE webhook_deliveries SET lease_until = now() + interval '2 seconds' WHERE id = $1`,
      [deliveryId],
    );
    start(settings());
    await untilDelivered(deliveryId);
    expect(receiver.requests.map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId, deliveryId]);
  });

  test('the process shows its metrics, and ends with 0 within its grace on SIGTERM, also while a post hangs and Redis is away', async () => {
    answering = false;
    const port = await freePort();
    const { child, ended } = start({
      ...settings(),
      WEBHOOK_TIMEOUT_MS: '30000',
      METRICS_PORT: String(port),
    });
    const before = receiver.requests.length;
    const { deliveryId } = await finishTask(database, account, receiver.url);
    await eventually(() => expect(receiver.requests).toHaveLength(before + 1));
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).toMatch(/gateway_running\{.*\} 1/);
    expect(text).toMatch(/gateway_webhook_delay_seconds_count\{.*waited_for="worker".*\} 1/);
    const asked = Date.now();
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(Date.now() - asked).toBeLessThan(3_000);
    expect((await deliveryRow(database, deliveryId)).state).toBe('pending');
  });
});
