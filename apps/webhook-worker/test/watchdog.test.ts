import { createLogger } from '@image-gateway/shared/logging';
import { createProducer, createRedis } from '@image-gateway/shared/queues';
import {
  createTestAccount,
  createTestDatabase,
  createTestRedis,
  eventually,
  killPrograms,
  type Program,
  type Receiver,
  startProgram,
  startReceiver,
  startRelay,
  type TestDatabase,
} from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { deliveryRow } from './support/delivery-row.js';
import { finishTask } from './support/finish-task.js';

let receiver: Receiver;
let redisUrl = '';
const databases: TestDatabase[] = [];

beforeAll(async () => {
  receiver = await startReceiver();
  redisUrl = (await createTestRedis()).url;
});
afterEach(killPrograms);
afterAll(async () => {
  await receiver.close();
  await Promise.all(databases.map((database) => database.close()));
});

/** Starts a worker with a database of its own, so that nobody else sends what is due there. */
async function startQuickWatchdog(
  limitMs: number,
  url: string,
): Promise<Program & { readonly database: TestDatabase }> {
  const database = await createTestDatabase();
  databases.push(database);
  const program = startProgram(
    'apps/webhook-worker',
    ['test/support/quick-watchdog-worker.ts', String(limitMs)],
    {
      DATABASE_URL: database.url,
      REDIS_URL: url,
      OUTBOUND_ALLOW: receiver.hostPort,
      HOST: '127.0.0.1',
      METRICS_PORT: '0',
      SHUTDOWN_GRACE_MS: '1000',
    },
  );
  await eventually(() => expect(program.output()).toContain('"started"'));
  return { ...program, database };
}
const hintAtNothing = async (): Promise<void> => {
  const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
  const redis = createRedis({ url: redisUrl, mode: 'fail-fast', name: 'test', logger });
  const producer = createProducer({ redis });
  const hint = { deliveryId: 'msg_0000000000000000000000', attempt: 0, traceId: 'test' };
  expect(await producer.add('webhook', [hint])).toBe('queued');
  await producer.close();
  redis.disconnect();
};

test('a worker that no longer takes its hints ends itself with 1; Redis frozen or absent is no reason, webhooks go out', async () => {
  const frozenRedis = await startRelay(redisUrl);
  const stuckConsumer = await startRelay(redisUrl);
  // Those that must not end get less time, and would end first. It is longer than some of the searches that come every second.
  const [frozen, absent, stuck] = await Promise.all([
    startQuickWatchdog(10_000, frozenRedis.url),
    startQuickWatchdog(10_000, 'redis://127.0.0.1:1'),
    startQuickWatchdog(13_000, stuckConsumer.url),
  ]);
  frozenRedis.fallSilent();
  stuckConsumer.fallSilent({ except: 'webhook-probe' });
  await hintAtNothing();

  expect(await stuck.ended).toEqual({ code: 1, signal: null });
  expect(stuck.output()).toContain('"trouble":"the queue is not consumed"');
  for (const { child, database } of [frozen, absent]) {
    const { deliveryId } = await finishTask(database, await createTestAccount(database), receiver.url);
    await eventually(async () => expect((await deliveryRow(database, deliveryId)).state).toBe('delivered'));
    expect(child.exitCode).toBeNull();
  }
  for (const { child, ended } of [frozen, absent]) {
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  }
  await Promise.all([frozenRedis.close(), stuckConsumer.close()]);
});
