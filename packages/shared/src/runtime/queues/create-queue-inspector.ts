import { type Job, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { TIMED_OUT, withTimeout } from '../concurrency/index.js';
import { DEFAULT_PREFIX, type QueueName } from './jobs.js';

/** State of a queue in Redis. */
export interface QueueSnapshot {
  /** Hints that wait or are being worked on. */
  readonly hints: number;
  /** Processes that take from the queue. */
  readonly consumers: number;
}

/** A hint as it stands in Redis. */
export interface QueuedHint {
  readonly id: string;
  readonly state: 'active' | 'waiting' | 'delayed';
  readonly addedAt: Date;
}

/** Looks at the queues without touching them. */
export interface QueueInspector {
  /** Never throws and never takes longer than a second; null when Redis does not answer in that time. */
  readonly look: (queue: QueueName) => Promise<QueueSnapshot | null>;
  /** Some of the hints in a queue, those that are being worked on first; as patient as `look`. */
  readonly list: (queue: QueueName, limit: number) => Promise<readonly QueuedHint[] | null>;
  readonly close: () => Promise<void>;
}

const STATES = [
  ['active', ['active']],
  ['waiting', ['waiting', 'prioritized']],
  ['delayed', ['delayed']],
] as const;
const LOOK_MS = 1_000;
const CLOSE_MS = 500;

/** Makes the inspector on a fail-fast connection, which stays the caller's to disconnect. */
export function createQueueInspector({
  redis,
  prefix = DEFAULT_PREFIX,
}: {
  readonly redis: Redis;
  readonly prefix?: string;
}): QueueInspector {
  const queues = new Map<QueueName, Queue>();
  const getQueue = (name: QueueName): Queue => {
    const known = queues.get(name);
    if (known) {
      return known;
    }
    const queue = new Queue(name, { connection: redis, prefix, skipVersionCheck: true });
    // The connection reports its own errors.
    queue.on('error', () => undefined);
    queues.set(name, queue);
    return queue;
  };
  const ask = async (name: QueueName): Promise<QueueSnapshot | null> => {
    if (redis.status !== 'ready') {
      return null;
    }
    const queue = getQueue(name);
    const [counts, workers] = await Promise.all([
      queue.getJobCounts('waiting', 'delayed', 'active', 'prioritized'),
      queue.getWorkers(),
    ]);
    // The server lists the clients of all its databases, and another gateway's queue in another one has the same name.
    const own = String(redis.options.db ?? 0);
    const consumers = workers.filter(({ db = own }) => db === own).length;
    return { hints: Object.values(counts).reduce((sum, count) => sum + count, 0), consumers };
  };
  const list = async (name: QueueName, limit: number): Promise<readonly QueuedHint[] | null> => {
    if (redis.status !== 'ready') {
      return null;
    }
    const queue = getQueue(name);
    const found = await Promise.all(
      STATES.map(async ([state, types]) => {
        const jobs: readonly (Job | undefined)[] = await queue.getJobs([...types], 0, limit - 1);
        // A hint may be taken between the list of ids and the look at each.
        return jobs.flatMap((job) =>
          job?.id === undefined ? [] : [{ id: job.id, state, addedAt: new Date(job.timestamp) }],
        );
      }),
    );
    return found.flat().slice(0, limit);
  };
  const orNull = async <T>(asking: Promise<T | null>): Promise<T | null> => {
    const seen = await withTimeout(
      LOOK_MS,
      asking.catch(() => null),
    );
    return seen === TIMED_OUT ? null : seen;
  };
  return {
    look: (name) => orNull(ask(name)),
    list: (name, limit) => orNull(list(name, limit)),
    close: async () => {
      await withTimeout(CLOSE_MS, Promise.allSettled([...queues.values()].map((queue) => queue.close())));
    },
  };
}
