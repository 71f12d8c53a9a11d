import type { Database } from '@image-gateway/shared/db';
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
/** Looks for due webhooks that have begun, of which the worker makes one a second. */
let looks = 0;
/** With which look each webhook was claimed; one look ends before the next begins. */
const claimedBy = new Map<string, number>();

beforeEach(async () => {
  database = await createTestDatabase();
  account = await createTestAccount(database);
  healthy = await startReceiver();
  redisUrl = (await createTestRedis()).url;
});
afterEach(async () => {
  claimedBy.clear();
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
const noteLooks = (db: Database): Database => ({
  ...db,
  run: (statement, values) => {
    if (statement.name === 'find-due-deliveries-oldest') {
      looks += 1;
    }
    for (const id of statement.name === 'claim-deliveries' ? (values[0] as string[]) : []) {
      claimedBy.set(id, looks);
    }
    return db.run(statement, values);
  },
});
const start = (): void => {
  const OUTBOUND_ALLOW = [healthy, ...hanging].map(({ hostPort }) => hostPort).join(',');
  // Longer than any test: what waits for a receiver that hangs waits for ever.
  const env = { OUTBOUND_ALLOW, WEBHOOK_TIMEOUT_MS: '600000' };
  worker = startWorker(noteLooks(database.db), env, redisUrl);
};
/** Adds webhooks for the healthy receiver, waits until all have come, and returns how many looks later the first of them was claimed. */
async function sendToHealthy(label: string, count: number): Promise<number> {
  const [before, received] = [looks, healthy.requests.length];
  await addDeliveries(database, account, { count, label, url: healthy.url });
  await eventually(() => expect(healthy.requests).toHaveLength(received + count));
  const claimed = [...claimedBy].filter(([id]) => id.startsWith(`msg_${label}0`));
  expect(claimed).toHaveLength(count);
  return Math.min(...claimed.map(([, look]) => look)) - before;
}

describe('a receiver that hangs', () => {
  test('a receiver that hangs delays nobody: with 500 webhooks waiting for it, the next look begins those for others', async () => {
    const dead = await addHanging();
    await addDeliveries(database, account, { count: 500, label: 'dead', url: dead.url, dueInSeconds: -60 });
    start();
    await eventually(() => expect(dead.requests).toHaveLength(5));
    for (const label of ['oka', 'okb', 'okc', 'okd']) {
      expect(await sendToHealthy(label, 25)).toBeLessThanOrEqual(1);
    }
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
    expect(await sendToHealthy('ok', 50)).toBeLessThanOrEqual(1);
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
      await eventually(() => expect(count('/fast')).toBe(i + 1));
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
    await eventually(() => expect(healthy.requests).toHaveLength(300));
    expect(most).toBe(5);
    expect(new Set(healthy.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(300);
  });

  test('a backlog of 100,000 for a receiver that hangs leaves the next look to others', async () => {
    const dead = await addHanging();
    const backlog = { count: 100_000, label: 'huge', url: dead.url, dueInSeconds: -60 };
    await addDeliveries(database, account, backlog);
    start();
    await eventually(() => expect(dead.requests).toHaveLength(5));
    for (const label of 'abcdefgh') {
      expect(await sendToHealthy(`few${label}`, 5)).toBeLessThanOrEqual(1);
    }
  });
});
