import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createRedisGuard } from './create-redis-guard.js';

/**
 * Takes a lease under each of several limits, or none when one of them is used up. KEYS: one sorted set a limit,
 * holding leases by their end in milliseconds. The clock is that of Redis, which all processes share. ARGV: name of the
 * lease, its maximum life in milliseconds, then the number of leases that each set may hold. Returns 1 or 0.
 */
const LEASE_SCRIPT = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  if redis.call('ZCARD', key) >= tonumber(ARGV[2 + i]) then return 0 end
end
for _, key in ipairs(KEYS) do
  redis.call('ZADD', key, string.format('%.0f', now + tonumber(ARGV[2])), ARGV[1])
  redis.call('PEXPIRE', key, ARGV[2])
end
return 1
`;

/** Parts of a concurrency limiter. */
export interface ConcurrencyLimiterOptions {
  /** A fail-fast connection; stays the caller's to disconnect. */
  readonly redis: Redis;
  /** Start of the keys in Redis. */
  readonly prefix: string;
  /** Time after which Redis takes an action for ended whose process died, in milliseconds. */
  readonly leaseMs: number;
  /** Called for every decision that was made in memory. */
  readonly onFallback?: () => void;
}

/** Limit of how many actions with a key run at a time. */
export interface ConcurrencyCheck {
  readonly key: string;
  readonly limit: number;
}

/** Limits how many actions run at a time over all processes. */
export interface ConcurrencyLimiter {
  /**
   * Counts an action under all limits and returns how to note its end; null, and counted nowhere, when one is used up. Never
   * throws; without Redis each process counts by itself.
   */
  readonly tryAcquire: (checks: readonly ConcurrencyCheck[]) => Promise<(() => void) | null>;
}

/** Creates a concurrency limiter. */
export function createConcurrencyLimiter(options: ConcurrencyLimiterOptions): ConcurrencyLimiter {
  const { redis, prefix, leaseMs, onFallback } = options;
  const guard = createRedisGuard({ ping: () => redis.ping() });
  const memory = new Map<string, number>();
  const acquireInMemory = (checks: readonly ConcurrencyCheck[]): (() => void) | null => {
    if (checks.some(({ key, limit }) => (memory.get(key) ?? 0) >= limit)) {
      return null;
    }
    for (const { key } of checks) {
      memory.set(key, (memory.get(key) ?? 0) + 1);
    }
    return once(() => {
      for (const { key } of checks) {
        const left = (memory.get(key) ?? 1) - 1;
        if (left > 0) {
          memory.set(key, left);
        } else {
          memory.delete(key);
        }
      }
    });
  };
  return {
    tryAcquire: async (checks) => {
      const lease = randomBytes(12).toString('base64url');
      const keys = checks.map(({ key }) => `${prefix}:${key}`);
      const limits = checks.map(({ limit }) => limit);
      const remove = (): Promise<unknown> =>
        Promise.all(keys.map((key) => redis.zrem(key, lease))).catch(() => undefined);
      let evaluation: Promise<unknown> | undefined;
      const taken = await guard.run(() => {
        evaluation = redis.eval(LEASE_SCRIPT, keys.length, ...keys, lease, leaseMs, ...limits);
        return evaluation;
      });
      if (taken === null) {
        // Redis may take a lease after we stopped waiting for it, which would count beside ours until it runs out.
        void evaluation?.then(remove, remove);
        onFallback?.();
        return acquireInMemory(checks);
      }
      if (taken !== 1) {
        return null;
      }
      return once(() => {
        // A lease that Redis does not hear of ends by itself.
        void guard.run(remove);
      });
    },
  };
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (done) {
      return;
    }
    done = true;
    action();
  };
}
