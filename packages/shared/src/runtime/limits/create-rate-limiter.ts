import type { Redis } from 'ioredis';
import { createMicroBatch } from '../concurrency/index.js';
import { createRedisGuard } from './create-redis-guard.js';
import { type GcraDecision, type GcraParameters, type LimitCheck, toGcraParameters } from './gcra.js';
import { createMemoryLimits } from './memory-limits.js';
import { decideInRedis, type LimitSet } from './redis-limits.js';

/** How a rate limiter is made. */
export interface RateLimiterOptions {
  /** A fail-fast connection; stays the caller's to disconnect. */
  readonly redis: Redis;
  /** How many limits are kept in memory while Redis is away; 10,000 unless given. */
  readonly memoryCapacity?: number;
  /** What the keys in Redis begin with; `{gw}:limit` unless given. */
  readonly prefix?: string;
  /** Called for every decision that was made in memory. */
  readonly onFallback?: () => void;
  /** The time in whole microseconds for Redis and memory alike; each one's own clock unless a test says otherwise. */
  readonly nowMicros?: () => number;
}

/** Where a limit stands after a decision. */
export interface PolicyState {
  readonly policy: string;
  readonly limit: number;
  readonly windowSeconds: number;
  /** How many more could be taken at once. */
  readonly remaining: number;
  /** In how many whole seconds, rounded up, all of it is there again. */
  readonly resetSeconds: number;
}

/** A decision about a set of limits. */
export interface RateDecision {
  readonly allowed: boolean;
  /** How long until the same set could be allowed; 0 when it is. */
  readonly retryAfterMs: number;
  /** In the order of the checks. */
  readonly policies: readonly PolicyState[];
}

/** Decides about limits that all processes share. */
export interface RateLimiter {
  /** Takes from all limits, or from none when any one is used up. Never throws; without Redis each process decides by itself. */
  readonly consume: (checks: readonly LimitCheck[]) => Promise<RateDecision>;
}

const MEMORY_CAPACITY = 10_000;
/** Most decisions in one round trip: Redis does nothing else meanwhile. */
const MAX_TOGETHER = 128;

/** Makes a rate limiter on the generic cell rate algorithm: smooth limits, bursts up to the limit, no windows that begin anew. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { redis, prefix = '{gw}:limit', onFallback, nowMicros } = options;
  const memory = createMemoryLimits(options.memoryCapacity ?? MEMORY_CAPACITY);
  const guard = createRedisGuard({ ping: () => redis.ping() });
  // One round trip after the other: several at a time would each be smaller, and cost more than the wait.
  const decide = createMicroBatch<LimitSet, GcraDecision | null>({
    maxItems: MAX_TOGETHER,
    concurrency: 1,
    isShared: () => false,
    run: async (sets) =>
      (await guard.run(() => decideInRedis(redis, sets, nowMicros?.() ?? null))) ?? sets.map(() => null),
  });
  return {
    consume: async (checks) => {
      if (checks.length === 0) return { allowed: true, retryAfterMs: 0, policies: [] };
      const keys = checks.map(({ policy, key }) => `${prefix}:${policy}:${key}`);
      const numbers = checks.map(toGcraParameters);
      const shared = await decide.add({ keys, numbers });
      if (shared) return describe(checks, numbers, shared);
      onFallback?.();
      const now = nowMicros?.() ?? Math.floor(performance.now() * 1_000);
      return describe(checks, numbers, memory.decide(keys, numbers, now));
    },
  };
}

function describe(
  checks: readonly LimitCheck[],
  numbers: readonly GcraParameters[],
  { allowed, retryMicros, used }: GcraDecision,
): RateDecision {
  const policies = checks.map((check, i) => {
    const { emission, capacity } = numbers[i] ?? toGcraParameters(check);
    const spent = used[i] ?? 0;
    return {
      policy: check.policy,
      limit: check.limit,
      windowSeconds: check.windowSeconds,
      remaining: Math.floor((capacity - spent) / emission),
      resetSeconds: Math.ceil(spent / 1_000_000),
    };
  });
  return { allowed, retryAfterMs: Math.ceil(retryMicros / 1_000), policies };
}
