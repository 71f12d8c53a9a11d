import { eventually, type SentinelGroup, startSentinelGroup } from '@image-gateway/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLogger } from '../../src/runtime/logging/index.js';
import { createConsumer, createProducer, createRedis } from '../../src/runtime/queues/index.js';

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
const prefix = '{test}';
const FAILOVER = { timeoutMs: 30_000, everyMs: 100 };

let group: SentinelGroup;
beforeAll(async () => {
  group = await startSentinelGroup();
});
afterAll(() => group.dispose());

test('connections, hints and consumers behind Sentinels move to the promoted server when the primary is killed', async () => {
  const redis = createRedis({ url: group.url, mode: 'fail-fast', name: 'test', logger });
  const producer = createProducer({ redis, prefix });
  const taken: string[] = [];
  const consumer = createConsumer({
    queue: 'generation',
    handlers: { generation: async ({ taskId }) => void taken.push(taskId) },
    redisUrl: group.url,
    concurrency: 2,
    logger,
    prefix,
  });
  const send = async (id: string): Promise<void> => {
    const taskId = `gen_${id.padStart(22, '0')}`;
    await producer.add('generation', [{ taskId, attempt: 0, traceId: 'req_1' }], { turns: [1] });
    await eventually(() => expect(taken).toContain(taskId), { timeoutMs: 1_500, everyMs: 20 });
  };
  let number = 0;
  const sendAny = (): Promise<void> => {
    number += 1;
    return send(String(number));
  };
  try {
    await eventually(sendAny, FAILOVER);
    expect(redis.options.db).toBe(2);
    const before = await group.findPrimaryPort();
    await group.killPrimary();
    await eventually(async () => expect(await group.findPrimaryPort()).not.toBe(before), FAILOVER);
    await eventually(sendAny, FAILOVER);
    await redis.set('written', 'after');
    expect((await redis.info('server')).match(/tcp_port:(\d+)/)?.[1]).toBe(
      String(await group.findPrimaryPort()),
    );
  } finally {
    await producer.close();
    await consumer.close(1_000);
    redis.disconnect();
  }
});
