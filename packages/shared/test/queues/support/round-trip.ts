// Sends a hint through the Redis of REDIS_URL and takes it, limits a caller there, and ends with 0. Authorities come from
// NODE_EXTRA_CA_CERTS.
import { createRateLimiter } from '@image-gateway/shared/limits';
import { createLogger } from '@image-gateway/shared/logging';
import { createConsumer, createProducer, createRedis, pingRedis } from '@image-gateway/shared/queues';

const url = process.env.REDIS_URL ?? '';
const prefix = '{gw}';
const logger = createLogger({ service: 'round-trip', level: 'warn' });
const redis = createRedis({ url, mode: 'fail-fast', name: 'round-trip', logger });
await new Promise((resolve) => redis.once('ready', resolve));
await pingRedis(redis);

const limiter = createRateLimiter({ redis, prefix: `${prefix}:limit`, onFallback: () => process.exit(3) });
await limiter.consume([{ policy: 'key', key: 'caller', limit: 5, windowSeconds: 60 }]);

const producer = createProducer({ redis, prefix });
const taskId = `gen_${'x'.repeat(22)}`;
const taken = new Promise<void>((resolve) => {
  createConsumer({
    queue: 'generation',
    handlers: {
      generation: async (job) => {
        if (job.taskId === taskId) {
          resolve();
        }
      },
    },
    redisUrl: url,
    concurrency: 1,
    logger,
    prefix,
  });
});
await producer.add('generation', [{ taskId, attempt: 0, traceId: 'req_1' }], { turns: [1] });
await taken;
process.stdout.write('taken\n');
process.exit(0);
