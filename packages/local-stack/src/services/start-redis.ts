import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reservePort } from '../data-dir/reserve-port.js';
import { pingRedis } from '../redis/ping-redis.js';
import { provideRedis } from '../redis/provide-redis.js';
import { buildRedisCommand, clearRedisLeftover } from '../redis/redis-service.js';
import { StackError } from '../stack-error.js';
import { logToFile } from './log-to-file.js';
import type { RunningService, ServiceContext } from './service-context.js';

const TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/** Starts Redis (or Valkey) on its own port and waits until it has loaded its data; the URL holds the password. */
export async function startRedis(context: ServiceContext, password: string): Promise<RunningService> {
  const { dataDir, cacheDir, durable, supervisor, out, signal } = context;
  const folder = path.join(dataDir, 'redis');
  const program = await provideRedis({ cacheDir, out, signal });
  await clearRedisLeftover(folder);
  const port = await reservePort(dataDir, 'redis');
  const log = path.join(dataDir, 'logs/redis.log');
  const process = await supervisor.start({
    name: 'redis',
    role: 'service',
    command: () => buildRedisCommand({ program, folder, port, password, durable }),
    output: logToFile(log),
  });
  const until = Date.now() + TIMEOUT_MS;
  while (!(await pingRedis({ port, password }))) {
    signal.throwIfAborted();
    if (Date.now() > until) {
      throw new StackError(`Redis does not respond; its log is ${log}`);
    }
    await sleep(POLL_MS);
  }
  return { process, url: `redis://:${password}@127.0.0.1:${port}` };
}
