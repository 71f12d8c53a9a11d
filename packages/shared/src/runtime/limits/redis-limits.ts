import type { Redis } from 'ioredis';
import type { GcraDecision, GcraParameters } from './gcra.js';
import { SCRIPT } from './script.js';

/** Redis with the script as a command: it is sent by its hash, and again in full when Redis has lost it. */
interface ScriptedRedis extends Redis {
  readonly decideLimits?: (keyCount: number, ...values: readonly (string | number)[]) => Promise<unknown>;
}

/** A set of limits to decide about, with the key of each. */
export interface LimitSet {
  readonly keys: readonly string[];
  readonly numbers: readonly GcraParameters[];
}

/** Decides sets of limits inside Redis, one after the other, in one round trip. `nowMicros` null means the clock of Redis. Rejects when Redis does not answer or not sensibly. */
export async function decideInRedis(
  redis: Redis,
  sets: readonly LimitSet[],
  nowMicros: number | null,
): Promise<GcraDecision[]> {
  const keys: string[] = [];
  const args: (string | number)[] = [nowMicros ?? ''];
  for (const set of sets) {
    keys.push(...set.keys);
    args.push(set.numbers.length);
    for (const { emission, capacity, cost } of set.numbers) args.push(emission, capacity, cost);
  }
  const all = [...keys, ...args];
  const scripted: ScriptedRedis = redis;
  if (!scripted.decideLimits) redis.defineCommand('decideLimits', { lua: SCRIPT });
  const answer = await scripted.decideLimits?.(keys.length, ...all);
  if (!Array.isArray(answer) || answer.length !== keys.length + 2 * sets.length)
    throw new Error('Redis gave no decision');
  const values = answer.map(Number);
  let at = 0;
  return sets.map(({ numbers }) => {
    const [allowed, retryMicros = 0, ...used] = values.slice(at, at + 2 + numbers.length);
    at += 2 + numbers.length;
    return { allowed: allowed === 1, retryMicros, used };
  });
}
