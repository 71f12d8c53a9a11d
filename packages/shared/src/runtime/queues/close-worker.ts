import type { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { withTimeout } from '../concurrency/index.js';
import type { ActivityCounter } from './create-activity-counter.js';

const PING_MS = 300;
const LAST_WORDS_MS = 500;

/**
 * Ends a worker: no new jobs, then the running ones within `graceMs`. Never takes more than a second longer. A worker
 * that is closed while Redis is away never comes to an end, so it is asked to only after Redis has answered, and cut
 * off otherwise: `forced`.
 */
export async function closeWorker(options: {
  readonly worker: Worker;
  readonly redis: Redis;
  readonly tally: ActivityCounter;
  readonly graceMs: number;
}): Promise<'drained' | 'forced'> {
  const { worker, redis, tally, graceMs } = options;
  const until = performance.now() + graceMs;
  const leftMs = (): number => Math.max(0, until - performance.now());
  await withTimeout(graceMs, Promise.all([worker.pause(true), tally.idle()]));
  const answers = redis.status === 'ready' && (await withTimeout(PING_MS, redis.ping())) === 'PONG';
  if (!answers || tally.active() > 0) {
    await withTimeout(LAST_WORDS_MS, worker.close(true));
    return 'forced';
  }
  const closed = worker.close().then(() => 'drained' as const);
  const outcome = await withTimeout(LAST_WORDS_MS, closed);
  if (outcome === 'drained') return outcome;
  // A job that was being fetched when we paused is still running.
  await withTimeout(leftMs(), tally.idle());
  return (await withTimeout(LAST_WORDS_MS, closed)) === 'drained' ? 'drained' : 'forced';
}
