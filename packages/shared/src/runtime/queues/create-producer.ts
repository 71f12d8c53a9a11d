import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { TIMED_OUT, withTimeout } from '../concurrency/index.js';
import { DEFAULT_PREFIX, JOB_POLICY, type JobName, type JobPayloads, jobs, type QueueName } from './jobs.js';

/** How a producer is made. */
export interface ProducerOptions {
  /** A fail-fast connection; stays the caller's to disconnect. */
  readonly redis: Redis;
  readonly prefix?: string;
  /** How long an `add` may take, in milliseconds; 1000 unless given. */
  readonly timeoutMs?: number;
  /** Called for every `add` that Redis did not confirm in time. */
  readonly onFailure?: (failure: {
    readonly name: JobName;
    readonly count: number;
    readonly error: Error;
  }) => void;
}

/** When hints are taken. */
export interface HintOptions {
  readonly delayMs?: number;
  /** The turn of each, from 1 to LOWEST_PRIORITY: lower ones are taken first, and before all others those that have none. */
  readonly turns?: readonly number[];
}

/** The highest turn that BullMQ can tell apart (its priorities end at 2^21 - 1). */
export const LOWEST_PRIORITY = 2 ** 21 - 1;

/** Puts hints into the queues. */
export interface Producer {
  /**
   * Adds one hint for each payload. Never throws and never takes longer than the timeout. The result `unavailable`
   * means that Redis did not confirm. The hints may still appear later, so their consumer must tolerate one too many.
   */
  readonly add: <N extends JobName>(
    name: N,
    payloads: readonly JobPayloads[N][],
    options?: HintOptions,
  ) => Promise<'queued' | 'unavailable'>;
  /** Hints of a kind that wait to be taken, or null when Redis does not say in time. */
  readonly waitingCount: (name: JobName) => Promise<number | null>;
  readonly close: () => Promise<void>;
}

const TIMEOUT_MS = 1_000;
const CLOSE_MS = 500;
const MAX_EVENTS = 1_000;

/** Makes a producer. It works with a Redis that is absent, frozen or refusing: hints are lost then, never the caller's time. */
export function createProducer({
  redis,
  prefix = DEFAULT_PREFIX,
  timeoutMs = TIMEOUT_MS,
  onFailure,
}: ProducerOptions): Producer {
  const queues = new Map<QueueName, Queue>();
  // Only the very first connection is waited for; later on, no connection means that Redis is in trouble.
  const firstConnection = waitUntilReady(redis, timeoutMs);

  const getQueue = (name: QueueName): Queue => {
    const known = queues.get(name);
    if (known) {
      return known;
    }
    // The version check asks once and never again: an answer that is lost would make the queue fail for ever.
    const options = {
      connection: redis,
      prefix,
      skipVersionCheck: true,
      streams: { events: { maxLen: MAX_EVENTS } },
    };
    const queue = new Queue(name, options);
    // The connection reports its own errors.
    queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };

  const tryAdd = async <N extends JobName>(
    name: N,
    payloads: readonly JobPayloads[N][],
    { delayMs = 0, turns = [] }: HintOptions,
  ): Promise<'queued'> => {
    await firstConnection;
    if (redis.status !== 'ready') {
      throw new Error(`no connection to Redis (${redis.status})`);
    }
    const delay = Math.round(delayMs);
    const jobId: (payload: JobPayloads[N]) => string = jobs[name].jobId as never;
    await getQueue(jobs[name].queue).addBulk(
      payloads.map((data, i) => ({
        name,
        data,
        opts: { ...JOB_POLICY, jobId: jobId(data), ...(delay > 0 && { delay }), priority: turns[i] ?? 0 },
      })),
    );
    return 'queued';
  };

  return {
    add: async (name, payloads, options = {}) => {
      if (payloads.length === 0) {
        return 'queued';
      }
      const outcome = await withTimeout(
        timeoutMs,
        tryAdd(name, payloads, options).catch((error: unknown) => error as Error),
      );
      if (outcome === 'queued') {
        return outcome;
      }
      const error =
        outcome === TIMED_OUT ? new Error(`Redis did not confirm within ${timeoutMs} ms`) : outcome;
      onFailure?.({ name, count: payloads.length, error });
      return 'unavailable';
    },
    waitingCount: async (name) => {
      if (redis.status !== 'ready') {
        return null;
      }
      const counting = getQueue(jobs[name].queue).getJobCountByTypes('wait', 'prioritized');
      const count = await withTimeout(
        timeoutMs,
        counting.catch(() => null),
      );
      return count === TIMED_OUT ? null : count;
    },
    close: async () => {
      await withTimeout(CLOSE_MS, Promise.allSettled([...queues.values()].map((queue) => queue.close())));
    },
  };
}

/** Resolves to true as soon as the connection is ready, to false when it is not after some milliseconds. */
async function waitUntilReady(redis: Redis, ms: number): Promise<boolean> {
  if (redis.status === 'ready') {
    return true;
  }
  return new Promise((resolve) => {
    const end = (ready: boolean): void => {
      clearTimeout(timer);
      redis.off('ready', onReady);
      resolve(ready);
    };
    const onReady = (): void => end(true);
    const timer = setTimeout(() => end(false), ms);
    redis.once('ready', onReady);
  });
}
