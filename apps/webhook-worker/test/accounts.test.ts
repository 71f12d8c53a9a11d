import type { ResolveHost } from '@image-gateway/shared/outbound';
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
import { startTarpit, type Tarpit } from './support/start-tarpit.js';
import { startWorker, type TestWorker } from './support/start-worker.js';

const NO_REDIS = 'redis://127.0.0.1:1';

let database: TestDatabase;
let attacker: TestAccount;
let victim: TestAccount;
let healthy: Receiver;
let redisUrl = '';
let tarpit: Tarpit | undefined;
const workers: TestWorker[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  attacker = await createTestAccount(database);
  victim = await createTestAccount(database);
  healthy = await startReceiver();
  redisUrl = (await createTestRedis()).url;
});
afterEach(async () => {
  await tarpit?.close();
  tarpit = undefined;
  await Promise.all(workers.splice(0).map((worker) => worker.stop(200)));
  await healthy.close();
  await database.close();
});

const start = (url: string, resolve?: ResolveHost): void => {
  const allow = [healthy.hostPort, ...(tarpit?.hostPorts ?? [])].join(',');
  workers.push(startWorker(database.db, { OUTBOUND_ALLOW: allow }, url, resolve && { resolve }));
};
/** Sends the victim's webhooks one after the other and gives how late each began, in milliseconds. */
async function latenesses(count: number): Promise<number[]> {
  for (let i = 0; i < count; i++) {
    const label = `ok${'abcdefghij'[i]}`;
    await addDeliveries(database, victim, { count: 1, label, url: healthy.url });
    await eventually(() => expect(healthy.requests).toHaveLength(i + 1));
  }
  return workers
    .flatMap(({ log }) => log)
    .map((line) => JSON.parse(line) as { host?: string; lateMs?: number })
    .filter(({ host }) => host === healthy.hostPort)
    .map(({ lateMs }) => lateMs ?? 0);
}

describe("one account's webhooks that all go to receivers of their own", () => {
  test.each([1, 2])(
    "one account's webhooks that all go to receivers of their own and hang, 3,000 of them for 300 receivers, delay another account's by less than three seconds (%d workers)",
    async (count) => {
      tarpit = await startTarpit(300);
      const flood = { count: 3_000, label: 'flood', url: tarpit.urls, dueInSeconds: -60 };
      await addDeliveries(database, attacker, flood);
      for (let i = 0; i < count; i++) {
        start(NO_REDIS);
      }
      await eventually(() => expect(tarpit?.open()).toBeGreaterThan(15));
      expect(Math.max(...(await latenesses(6)))).toBeLessThan(3_000);
      expect(new Set(healthy.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(6);
    },
  );

  test("one account's webhooks that all go to receivers of their own and whose names do not exist, 1,500 of them, delay another account's by less than three seconds", async () => {
    const urls = Array.from({ length: 1_500 }, (_, i) => `http://n${i}.gone.example/`);
    await addDeliveries(database, attacker, { count: 1_500, label: 'gone', url: urls, dueInSeconds: -60 });
    // As slow as a name server that is asked about a name that it has never heard of.
    start(redisUrl, async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    });
    expect(Math.max(...(await latenesses(6)))).toBeLessThan(3_000);
    const { rows } = await database.pool.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM webhook_deliveries WHERE last_error = 'name not found' AND state = 'pending'",
    );
    expect(rows[0]?.n).toBeGreaterThan(0);
  });
});

describe('receivers of one account', () => {
  test('receivers of one account that have nothing due, or hang with a backlog, do not hide one whose webhook is due', async () => {
    tarpit = await startTarpit(1);
    // Their names come before an address: a look reaches the receiver after all of them.
    const waiting = Array.from({ length: 5_000 }, (_, i) => `http://0${i}.example/`);
    const later = { count: 5_000, label: 'later', url: waiting, dueInSeconds: 3_600 };
    await addDeliveries(database, victim, later);
    const backlog = { count: 2_000, label: 'dead', url: tarpit.urls, dueInSeconds: -60 };
    await addDeliveries(database, victim, backlog);
    start(NO_REDIS);
    await eventually(() => expect(tarpit?.open()).toBe(5));
    // Two thousand receivers are looked at a second, in turns: all of them within three.
    expect(Math.max(...(await latenesses(3)))).toBeLessThan(6_000);
  });
});
