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
import { addDeliveries } from './support/add-deliveries.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

let database: TestDatabase;
let account: TestAccount;
let healthy: Receiver;
let worker: TestWorker | undefined;
let redisUrl = '';
const hanging: Receiver[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
  healthy = await startReceiver();
  redisUrl = (await createTestRedis()).url;
});
afterEach(async () => {
  await Promise.all(hanging.splice(0).map((receiver) => receiver.close()));
  await worker?.stop(200);
  await healthy.close();
  await database.close();
});

const addHanging = async (): Promise<Receiver> => {
  const receiver = await startReceiver(() => undefined);
  hanging.push(receiver);
  return receiver;
};
const start = (env: Record<string, string> = {}): void => {
  const allow = [healthy, ...hanging].map(({ hostPort }) => hostPort).join(',');
  worker = startWorker(database.db, { OUTBOUND_ALLOW: allow, ...env }, redisUrl);
};
/** How late each post to the healthy receiver began, in milliseconds, ascending. */
const latenesses = (): number[] =>
  (worker?.log ?? [])
    .map((line) => JSON.parse(line) as { host?: string; lateMs?: number })
    .filter(({ host }) => host === healthy.hostPort)
    .map(({ lateMs }) => lateMs ?? 0)
    .sort((a, b) => a - b);
const percentile95 = (sorted: readonly number[]): number =>
  sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;

describe('a receiver that hangs', () => {
  test('a receiver that hangs delays nobody: with 500 webhooks waiting for it, others begin within two seconds', async () => {
    const dead = await addHanging();
    await addDeliveries(database, account, { count: 500, label: 'dead', url: dead.url, dueInSeconds: -60 });
    start();
    await eventually(() => expect(dead.requests).toHaveLength(5));
    for (let second = 0; second < 4; second++) {
      await addDeliveries(database, account, {
        count: 25,
        label: `ok${'abcd'[second]}`,
        url: healthy.url,
        dueInSeconds: second,
      });
    }
    await eventually(() => expect(latenesses()).toHaveLength(100), { timeoutMs: 15_000 });
    expect(percentile95(latenesses())).toBeLessThan(2_000);
    expect(dead.requests).toHaveLength(5);
  });

  test('a receiver that hangs cannot fill the house even with a dozen of its kind', async () => {
    for (let i = 0; i < 15; i++) {
      const dead = await addHanging();
      const label = `dead${'abcdefghijklmno'[i]}`;
      await addDeliveries(database, account, { count: 60, label, url: dead.url, dueInSeconds: -60 });
    }
    start();
    await eventually(() => expect(hanging.every(({ requests }) => requests.length > 0)).toBe(true));
    await addDeliveries(database, account, { count: 50, label: 'ok', url: healthy.url });
    await eventually(() => expect(latenesses()).toHaveLength(50));
    expect(percentile95(latenesses())).toBeLessThan(2_000);
  });
});

describe('a host that several accounts share', () => {
  test('a host that several accounts share takes the webhooks of each at once, though those of two others hang there', async () => {
    await healthy.close();
    healthy = await startReceiver((response, request) => {
      if (!request.path.startsWith('/slow')) {
        response.end();
      }
    });
    const others = await Promise.all([createTestAccount(database), createTestAccount(database)]);
    for (const [i, other] of others.entries()) {
      const url = `${healthy.url}/slow`;
      await addDeliveries(database, other, { count: 40, label: `slow${'ab'[i]}`, url, dueInSeconds: -60 });
    }
    start();
    const count = (path: string) =>
      healthy.requests.filter((request) => request.path.startsWith(path)).length;
    // Of the ten places there: four for one of them and three for the other, or one more.
    await eventually(() => expect(count('/slow')).toBeGreaterThanOrEqual(7));
    const held = count('/slow');
    expect(held).toBeLessThanOrEqual(8);
    for (const [i, label] of ['fasta', 'fastb', 'fastc'].entries()) {
      await addDeliveries(database, account, { count: 1, label, url: `${healthy.url}/fast` });
      await eventually(() => expect(count('/fast')).toBe(i + 1), { timeoutMs: 8_000 });
    }
    // None of the others has ended meanwhile.
    expect(count('/slow')).toBe(held);
  });
});

describe('a backlog', () => {
  test('a backlog of one healthy receiver is worked off at the speed of its answers, never more than five at a time', async () => {
    let open = 0;
    let most = 0;
    await healthy.close();
    healthy = await startReceiver((response) => {
      open += 1;
      most = Math.max(most, open);
      setTimeout(() => {
        open -= 1;
        response.end();
      }, 20);
    });
    await addDeliveries(database, account, { count: 300, label: 'many', url: healthy.url });
    start();
    await eventually(() => expect(healthy.requests).toHaveLength(300), { timeoutMs: 20_000 });
    expect(most).toBe(5);
    expect(new Set(healthy.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(300);
  });

  test('a backlog of 100,000 for a receiver that hangs does not slow the look for others down', async () => {
    const dead = await addHanging();
    const backlog = { count: 100_000, label: 'huge', url: dead.url, dueInSeconds: -60 };
    await addDeliveries(database, account, backlog);
    start();
    await eventually(() => expect(dead.requests).toHaveLength(5));
    for (const label of 'abcdefgh') {
      const before = latenesses().length;
      await addDeliveries(database, account, { count: 5, label: `few${label}`, url: healthy.url });
      await eventually(() => expect(latenesses()).toHaveLength(before + 5));
    }
    expect(percentile95(latenesses())).toBeLessThan(2_000);
  }, 60_000);
});
