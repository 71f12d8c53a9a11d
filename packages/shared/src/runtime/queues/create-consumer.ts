import { type Job, Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { TIMED_OUT, withTimeout } from '../concurrency/index.js';
import type { Logger } from '../logging/index.js';
import { createRedis, throttle } from './create-redis.js';
import {
  DEFAULT_PREFIX,
  type JobName,
  type JobPayloads,
  jobs,
  type QueueJobName,
  type QueueName,
} from './jobs.js';

const PING_MS = 300;
const LAST_WORDS_MS = 500;

/**
 * Ends a worker: no new jobs, then the running ones within `graceMs`. Never takes more than a second longer. Closing a
 * worker while Redis is unreachable never finishes. It is therefore closed only after Redis has responded, and
 * disconnected otherwise: `forced`.
 */
async function closeWorker(options: {
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
  if (outcome === 'drained') {
    return outcome;
  }
  // A job that was being fetched when we paused is still running.
  await withTimeout(leftMs(), tally.idle());
  return (await withTimeout(LAST_WORDS_MS, closed)) === 'drained' ? 'drained' : 'forced';
}

/** How a consumer is made. */
export interface ConsumerOptions<Q extends QueueName> {
  readonly queue: Q;
  /**
   * One handler for every kind of job in the queue. An error that a handler throws is logged and ends that job, nothing
   * more.
   */
  readonly handlers: JobHandlers<Q>;
  readonly redisUrl: string;
  readonly concurrency: number;
  readonly logger: Logger;
  readonly prefix?: string;
}

/** Takes hints out of a queue, several at once. */
export interface Consumer {
  readonly concurrency: number;
  /** Returns true if it is connected and takes jobs. */
  readonly isReady: () => boolean;
  /** Jobs whose handler is running. */
  readonly activeCount: () => number;
  /** When a job was last taken or ended, in milliseconds since 1970; the start of the consumer before the first one. */
  readonly lastActivityAt: () => number;
  /** Jobs that wait in the queue and are due, or null when Redis does not say within a second. */
  readonly waitingCount: () => Promise<number | null>;
  /** Takes no new jobs; one that is being fetched at this moment still runs. */
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  /**
   * Takes no new jobs and waits for the running ones: `drained`, or `forced` after `graceMs` or when only Redis is missing.
   * Always returns in time.
   */
  readonly close: (graceMs: number) => Promise<'drained' | 'forced'>;
}

// A lock is only there so that two workers rarely do the same work; the database decides who may. Locks therefore
// outlive a lease, and a job that stalls often must not be thrown away by the queue.
const WORKER_OPTIONS = {
  lockDuration: 60_000,
  stalledInterval: 30_000,
  maxStalledCount: 10,
  drainDelay: 5,
  runRetryDelay: 2_000,
  removeOnComplete: { count: 0 },
  removeOnFail: { count: 0 },
};
const COUNT_MS = 1_000;

/** Starts a consumer. It goes on by itself after Redis was away, flushed or replaced, and may be started without it. */
export function createConsumer<Q extends QueueName>(options: ConsumerOptions<Q>): Consumer {
  const { queue, handlers, redisUrl: url, concurrency, prefix = DEFAULT_PREFIX, logger } = options;
  const redis = createRedis({ url, mode: 'patient', name: `${queue}-consumer`, logger });
  const duplicates = trackDuplicates(redis);
  // Of its own, so that it still answers when the connections of the worker are stuck.
  const counting = createRedis({ url, mode: 'fail-fast', name: `${queue}-probe`, logger });
  const counted = new Queue(queue, {
    connection: counting,
    prefix,
    skipVersionCheck: true,
    skipMetasUpdate: true,
  });
  counted.on('error', () => undefined);

  const tally = createActivityCounter();
  const process = (job: Job): Promise<void> => tally.count(() => runJob({ queue, handlers, logger }, job));

  const worker = new Worker<JobPayloads[QueueJobName<Q>]>(queue, process, {
    ...WORKER_OPTIONS,
    connection: redis,
    prefix,
    concurrency,
  });
  const onError = throttle(1_000, (error: Error, heldBack) =>
    logger.warn('queue trouble', { queue, error, heldBack }),
  );
  worker.on('error', onError);
  // No reason to drop a paid call: whether the work is still ours, the database says.
  const onLockLost = throttle(1_000, (jobIds: string[], heldBack) =>
    logger.info('lost locks', { queue, jobIds, heldBack }),
  );
  worker.on('lockRenewalFailed', onLockLost);

  let closing: Promise<'drained' | 'forced'> | undefined;

  return {
    concurrency,
    isReady: () =>
      redis.status === 'ready' && worker.isRunning() && !worker.isPaused() && closing === undefined,
    activeCount: tally.active,
    lastActivityAt: tally.lastActivityAt,
    waitingCount: async () => {
      if (counting.status !== 'ready') {
        return null;
      }
      const count = await withTimeout(
        COUNT_MS,
        counted.getJobCountByTypes('wait', 'prioritized').catch(() => null),
      );
      return count === TIMED_OUT ? null : count;
    },
    pause: () => worker.pause(true),
    resume: () => worker.resume(),
    close: (graceMs) => {
      closing ??= closeWorker({ worker, redis, tally, graceMs }).finally(() => {
        for (const connection of [redis, counting, ...duplicates]) {
          connection.disconnect();
        }
      });
      return closing;
    },
  };
}

/**
 * Records every copy that is made of a connection. BullMQ opens its blocking connection that way and returns it only
 * when Redis responds. Without the record it could not be closed while Redis is unreachable.
 */
function trackDuplicates(redis: Redis): readonly Redis[] {
  const copies: Redis[] = [];
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => {
    const copy = duplicate(override);
    // BullMQ stops listening when it closes; an error without a listener would be printed.
    copy.on('error', () => undefined);
    copies.push(copy);
    return copy;
  };
  return copies;
}

/** Counts the work that is running. */
export interface ActivityCounter {
  /** Runs something and counts it while it runs. */
  readonly count: <T>(work: () => Promise<T>) => Promise<T>;
  readonly active: () => number;
  /** When something last began or ended, in milliseconds since 1970; when the tally was made before that. */
  readonly lastActivityAt: () => number;
  /** Resolves as soon as nothing is running. */
  readonly idle: () => Promise<void>;
}

/** Makes a tally. */
function createActivityCounter(): ActivityCounter {
  let active = 0;
  let lastActivityAt = Date.now();
  let waiting: (() => void)[] = [];
  return {
    count: async (work) => {
      active += 1;
      lastActivityAt = Date.now();
      try {
        return await work();
      } finally {
        active -= 1;
        lastActivityAt = Date.now();
        if (active === 0) {
          for (const resolve of waiting) {
            resolve();
          }
          waiting = [];
        }
      }
    },
    active: () => active,
    lastActivityAt: () => lastActivityAt,
    idle: () => (active === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}

/** Handlers for the hints of a queue, by kind of job. */
export type JobHandlers<Q extends QueueName> = {
  readonly [N in QueueJobName<Q>]: (payload: JobPayloads[N]) => Promise<unknown>;
};

/**
 * Hands a job to its handler. Never throws: a hint that cannot be read or whose handler fails is logged and dropped, since the
 * sweeps find the row again.
 */
async function runJob<Q extends QueueName>(
  {
    queue,
    handlers,
    logger,
  }: { readonly queue: Q; readonly handlers: JobHandlers<Q>; readonly logger: Logger },
  job: { readonly id?: string | undefined; readonly name: string; readonly data: unknown },
): Promise<void> {
  const { id: jobId, name } = job;
  let requestId: string | undefined;
  try {
    if (!Object.hasOwn(jobs, name) || jobs[name as JobName].queue !== queue) {
      throw new RangeError('no such kind of job');
    }
    const payload = jobs[name as JobName].parse(job.data);
    requestId = payload.traceId;
    const handle = handlers[name as QueueJobName<Q>] as (payload: unknown) => Promise<unknown>;
    await handle(payload);
  } catch (error) {
    logger.error('a job was dropped', { queue, jobId, jobName: name, requestId, error });
  }
}
