import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { GcraDecision, GcraNumbers } from './gcra.js';
import { SCRIPT } from './script.js';

const SHA = createHash('sha1').update(SCRIPT).digest('hex');

/** Decides a set of limits inside Redis, in one round trip. `nowMicros` null means the clock of Redis. Rejects when Redis does not answer or not sensibly. */
export async function decideInRedis(
  redis: Redis,
  keys: readonly string[],
  numbers: readonly GcraNumbers[],
  nowMicros: number | null,
): Promise<GcraDecision> {
  const values = numbers.flatMap(({ emission, capacity, cost }) => [emission, capacity, cost]);
  const args = [...keys, ...values, nowMicros ?? ''];
  const answer = await redis.evalsha(SHA, keys.length, ...args).catch((error: unknown) => {
    // Redis forgets scripts when it starts anew.
    if (error instanceof Error && error.message.startsWith('NOSCRIPT'))
      return redis.eval(SCRIPT, keys.length, ...args);
    throw error;
  });
  if (!Array.isArray(answer) || answer.length !== keys.length + 2) throw new Error('Redis gave no decision');
  const [allowed, retryMicros, ...used] = answer.map(Number);
  return { allowed: allowed === 1, retryMicros: retryMicros ?? 0, used };
}
