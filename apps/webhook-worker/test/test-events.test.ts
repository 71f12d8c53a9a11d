import { createLogger } from '@image-gateway/shared/logging';
import { createProducer, createRedis } from '@image-gateway/shared/queues';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  eventually,
  type Receiver,
  type Responder,
  startReceiver,
  type TestAccount,
  type TestDatabase,
  type TestRedis,
} from '@image-gateway/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { deliveryRow } from './support/delivery-row.js';
import { finishTask } from './support/finish-task.js';
import { startTarpit } from './support/start-tarpit.js';
import { startWorker, type TestWorker } from './support/start-worker.js';
import { addWebhookTest, findWebhookTest } from './support/test-events.js';

const WITHOUT_REDIS = 'redis://127.0.0.1:1';
let database: TestDatabase;
let account: TestAccount;
let receiver: Receiver;
let redis: TestRedis;
let respond: Responder;
const workers: TestWorker[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
  respond = (response) => response.end();
  receiver = await startReceiver((response, request, count) => respond(response, request, count));
  redis = await createTestRedis();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    await worker.stop();
  }
  await receiver.close();
  await database.close();
});

const start = (
  redisUrl = WITHOUT_REDIS,
  options: { allow?: string; searchEveryMs?: number } = {},
): TestWorker => {
  const { allow = receiver.hostPort, ...rest } = options;
  const worker = startWorker(database.db, { OUTBOUND_ALLOW: allow }, redisUrl, rest);
  workers.push(worker);
  return worker;
};
const ended = (id: string) =>
  eventually(async () => {
    const row = await findWebhookTest(database, id);
    expect(row?.ended_at).toBeInstanceOf(Date);
    return row;
  });

test('a test event is posted like a delivery: same headers, same user agent, a signature that verifies', async () => {
  start();
  const id = await addWebhookTest(database, account, { url: `${receiver.url}/test` });
  const { deliveryId } = await finishTask(database, account, `${receiver.url}/real`);
  expect(await ended(id)).toMatchObject({
    state: 'delivered',
    status: 200,
    error: null,
    attempt: 1,
    lease_until: null,
  });
  await eventually(async () => expect((await deliveryRow(database, deliveryId)).state).toBe('delivered'));
  const [sent, real] = ['/test', '/real'].map((path) =>
    receiver.requests.find((request) => request.path === path),
  );
  expect(Object.keys(sent?.headers ?? {})).toEqual(Object.keys(real?.headers ?? {}));
  expect(sent?.headers['user-agent']).toBe(real?.headers['user-agent']);
  expect(sent?.headers['webhook-id']).toBe(id);
  const verified = new Webhook(account.webhookSecret).verify(
    sent?.body ?? Buffer.alloc(0),
    sent?.headers as Record<string, string>,
  );
  expect(verified).toMatchObject({ data: { id: 'ü 猫' } });
});

test('a test event is sent once: a refusal and a missing response end it, with the words of a delivery', async () => {
  start();
  respond = (response) => {
    response.statusCode = 503;
    response.setHeader('retry-after', '1');
    response.end();
  };
  const refused = await addWebhookTest(database, account, { url: receiver.url });
  const missing = await addWebhookTest(database, account, { url: 'http://127.0.0.1:9/', slot: 2 });
  expect(await ended(refused)).toMatchObject({
    state: 'failed',
    status: 503,
    error: 'answered 503',
    attempt: 1,
  });
  expect(await ended(missing)).toMatchObject({ state: 'failed', status: null, error: 'address not allowed' });
  expect(receiver.requests).toHaveLength(1);
});

test('a hint makes the worker send a test event long before its next search', async () => {
  const worker = start(redis.url, { searchEveryMs: 3_600_000 });
  const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
  const connection = createRedis({ url: redis.url, mode: 'fail-fast', name: 'test', logger });
  const producer = createProducer({ redis: connection });
  await eventually(async () =>
    expect(await worker.probe()).not.toBe('the search for due webhooks does not run'),
  );
  const id = await addWebhookTest(database, account, { url: receiver.url });
  await producer.add('webhook-test', [{ testId: id, traceId: 'a' }]);
  await producer.add('webhook-test', [{ testId: id, traceId: 'b' }]);
  expect(await ended(id)).toMatchObject({ state: 'delivered', attempt: 1 });
  expect(receiver.requests).toHaveLength(1);
  await producer.close();
  connection.disconnect();
});

test('two workers send a test event once', async () => {
  const ids = await Promise.all(
    [1, 2, 3, 4, 5].map((slot) => addWebhookTest(database, account, { url: receiver.url, slot })),
  );
  start();
  start();
  for (const id of ids) {
    expect(await ended(id)).toMatchObject({ state: 'delivered', attempt: 1 });
  }
  expect(receiver.requests).toHaveLength(5);
});

test('a test event whose sender died is sent when its lease ends, and not before', async () => {
  const [dead, living] = await Promise.all(
    [1, 2].map((slot) => addWebhookTest(database, account, { url: receiver.url, slot })),
  );
  const claim = `UPDATE webhook_tests SET state = 'sending', attempt = 1, started_at = now(), lease_until = now() + $2::interval WHERE id = $1`;
  await database.pool.query(claim, [dead, '-1 second']);
  await database.pool.query(claim, [living, '1 hour']);
  start();
  expect(await ended(dead ?? '')).toMatchObject({ state: 'delivered', attempt: 2 });
  expect(await findWebhookTest(database, living ?? '')).toMatchObject({
    state: 'sending',
    attempt: 1,
    ended_at: null,
  });
});

test('test events of an account with hanging receivers leave room for other accounts', async () => {
  const tarpit = await startTarpit(40);
  const worker = start(WITHOUT_REDIS, { allow: [receiver.hostPort, ...tarpit.hostPorts].join() });
  for (const url of tarpit.urls) {
    await finishTask(database, account, url);
  }
  for (const slot of [1, 2, 3, 4, 5]) {
    await addWebhookTest(database, account, { url: tarpit.urls[slot] ?? '', slot });
  }
  await eventually(() => expect(tarpit.open()).toBeGreaterThan(5));
  const other = await addWebhookTest(database, await createTestAccount(database), { url: receiver.url });
  expect(await ended(other)).toMatchObject({ state: 'delivered' });
  await worker.stop();
  await tarpit.close();
});

test('a test event leaves the deliveries and their counters alone', async () => {
  start();
  await ended(await addWebhookTest(database, account, { url: receiver.url }));
  const { rows } = await database.pool.query(
    `SELECT (SELECT count(*)::int FROM webhook_deliveries) + (SELECT count(*)::int FROM webhook_attempts)
       + (SELECT count(*)::int FROM webhook_hosts) + (SELECT webhook_count::int FROM accounts WHERE id = $1) AS sum`,
    [account.id],
  );
  expect(rows).toEqual([{ sum: 0 }]);
});

test('test events older than a day are deleted, ended or not; younger ones stay', async () => {
  const old = await addWebhookTest(database, account, { url: receiver.url, slot: 1, ageSeconds: 86_500 });
  const young = await addWebhookTest(database, account, { url: receiver.url, slot: 2, ageSeconds: 86_000 });
  start();
  await eventually(async () => expect(await findWebhookTest(database, old)).toBeUndefined());
  expect(await ended(young)).toMatchObject({ state: 'delivered' });
});
