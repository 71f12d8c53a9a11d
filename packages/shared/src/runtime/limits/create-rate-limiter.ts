import type { Redis } from 'ioredis';
import { createMicroBatch } from '../concurrency/index.js';
import { createRedisGuard } from './create-redis-guard.js';
import { type GcraDecision, type GcraParameters, type LimitCheck, toGcraParameters } from './gcra.js';
import { createMemoryLimits } from './memory-limits.js';

/**
 * Makes the same decisions as `decide` inside Redis, one after the other, in one round trip for all. Nothing is taken
 * from a set of limits unless all of them allow it. KEYS: one a limit, holding the time at which the limit is unused
 * again, in microseconds. ARGV: the time in microseconds, or an empty text for the clock of Redis, which all processes
 * share. Then follow for each decision the number of its limits, and emission, capacity and cost of each limit. Returns
 * for each decision: allowed, the time to wait, and the used part of each limit afterwards, in microseconds.
 */
const SCRIPT = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local full, changed, answer = {}, {}, {}
local key, arg = 0, 2
while ARGV[arg] do
  local count = tonumber(ARGV[arg])
  local used, retry = {}, 0
  for i = 1, count do
    local name = KEYS[key + i]
    if not full[name] then full[name] = tonumber(redis.call('GET', name) or now) or now end
    local emission, capacity = tonumber(ARGV[arg + 3 * i - 2]), tonumber(ARGV[arg + 3 * i - 1])
    used[i] = math.min(math.max(full[name] - now, 0), capacity)
    retry = math.max(retry, used[i] + emission - capacity)
  end
  answer[#answer + 1] = retry > 0 and 0 or 1
  answer[#answer + 1] = math.max(retry, 0)
  for i = 1, count do
    local name = KEYS[key + i]
    if retry <= 0 and ARGV[arg + 3 * i] == '1' then
      used[i] = used[i] + tonumber(ARGV[arg + 3 * i - 2])
      full[name] = now + used[i]
      changed[name] = used[i]
    end
    answer[#answer + 1] = used[i]
  end
  key, arg = key + count, arg + 1 + 3 * count
end
for name, used in pairs(changed) do
  redis.call('SET', name, string.format('%.0f', full[name]), 'PX', math.ceil(used / 1000) + 1000)
end
return answer
`;

/** How a rate limiter is made. */
export interface RateLimiterOptions {
  /** A fail-fast connection; stays the caller's to disconnect. */
  readonly redis: Redis;
  /** Maximum of limits in memory while Redis is unreachable; 10,000 unless given. */
  readonly memoryCapacity?: number;
  /** Prefix of the keys in Redis; `{gw}:limit` unless given. */
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
      if (checks.length === 0) {
        return { allowed: true, retryAfterMs: 0, policies: [] };
      }
      const keys = checks.map(({ policy, key }) => `${prefix}:${policy}:${key}`);
      const numbers = checks.map(toGcraParameters);
      const shared = await decide.add({ keys, numbers });
      if (shared) {
        return describe(checks, numbers, shared);
      }
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

/** Redis with the script as a command: it is sent by its hash, and again in full when Redis has lost it. */
interface ScriptedRedis extends Redis {
  readonly decideLimits?: (keyCount: number, ...values: readonly (string | number)[]) => Promise<unknown>;
}

/** A set of limits to decide about, with the key of each. */
export interface LimitSet {
  readonly keys: readonly string[];
  readonly numbers: readonly GcraParameters[];
}

/**
 * Decides sets of limits inside Redis, one after the other, in one round trip. `nowMicros` null means the clock of Redis.
 * Rejects when Redis does not answer or not sensibly.
 */
async function decideInRedis(
  redis: Redis,
  sets: readonly LimitSet[],
  nowMicros: number | null,
): Promise<GcraDecision[]> {
  const keys: string[] = [];
  const args: (string | number)[] = [nowMicros ?? ''];
  for (const set of sets) {
    keys.push(...set.keys);
    args.push(set.numbers.length);
    for (const { emission, capacity, cost } of set.numbers) {
      args.push(emission, capacity, cost);
    }
  }
  const all = [...keys, ...args];
  const scripted: ScriptedRedis = redis;
  if (!scripted.decideLimits) {
    redis.defineCommand('decideLimits', { lua: SCRIPT });
  }
  const answer = await scripted.decideLimits?.(keys.length, ...all);
  if (!Array.isArray(answer) || answer.length !== keys.length + 2 * sets.length) {
    throw new Error('Redis gave no decision');
  }
  const values = answer.map(Number);
  let at = 0;
  return sets.map(({ numbers }) => {
    const [allowed, retryMicros = 0, ...used] = values.slice(at, at + 2 + numbers.length);
    at += 2 + numbers.length;
    return { allowed: allowed === 1, retryMicros, used };
  });
}
