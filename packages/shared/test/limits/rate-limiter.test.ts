import { eventually } from '@image-gateway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import {
  createRateLimiter,
  type LimitCheck,
  type RateLimiterOptions,
} from '../../src/runtime/limits/index.js';
import { createLogger } from '../../src/runtime/logging/index.js';
import { createRedis } from '../../src/runtime/queues/index.js';
import { inTime } from '../in-time.js';
import { type OwnRedis, ownRedis } from '../queues/own-redis.js';

const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
const byKey: LimitCheck = { policy: 'key', key: 'key_1', limit: 5, windowSeconds: 60 };
const byIp: LimitCheck = { policy: 'ip', key: '::1', limit: 3, windowSeconds: 60 };

describe('the rate limiter', () => {
  let server: OwnRedis;
  let redis: Redis;
  let nowhere: Redis;
  let fallbacks: number;

  const limiter = (options: Partial<RateLimiterOptions> = {}) =>
    createRateLimiter({ redis, onFallback: () => (fallbacks += 1), ...options });

  beforeAll(async () => {
    server = await ownRedis();
  });
  beforeEach(async () => {
    fallbacks = 0;
    await server.start();
    redis = createRedis({ url: server.url, mode: 'fail-fast', name: 'test', logger });
    await eventually(() => expect(redis.status).toBe('ready'));
    nowhere = createRedis({ url: 'redis://127.0.0.1:1', mode: 'fail-fast', name: 'nowhere', logger });
  });
  afterEach(async () => {
    redis.disconnect();
    nowhere.disconnect();
    await server.kill();
  });
  afterAll(() => server.dispose());

  test('two processes share their limits, and headers can be read off the decision', async () => {
    const [one, two] = [limiter(), limiter()];
    expect(await one.consume([byKey, byIp])).toMatchObject({
      allowed: true,
      retryAfterMs: 0,
      policies: [
        { policy: 'key', limit: 5, windowSeconds: 60, remaining: 4, resetSeconds: 12 },
        { policy: 'ip', limit: 3, windowSeconds: 60, remaining: 2, resetSeconds: 20 },
      ],
    });
    await two.consume([byKey, byIp]);
    await one.consume([byKey, byIp]);
    const refused = await two.consume([byKey, byIp]);
    expect(refused).toMatchObject({ allowed: false, policies: [{ remaining: 2 }, { remaining: 0 }] });
    expect(refused.retryAfterMs).toBeGreaterThan(19_000);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(20_000);
    expect(fallbacks).toBe(0);
    expect(await one.consume([])).toEqual({ allowed: true, retryAfterMs: 0, policies: [] });
  });

  test('of many requests at the same time exactly the limit is allowed', async () => {
    const check = { policy: 'key', key: 'busy', limit: 100, windowSeconds: 3_600 };
    const all = await Promise.all(Array.from({ length: 300 }, () => limiter().consume([check])));
    expect(all.filter(({ allowed }) => allowed)).toHaveLength(100);
    expect(fallbacks).toBe(0);
  });

  test('requests of one moment are decided one after the other, each with an answer of its own', async () => {
    const { consume } = limiter({ prefix: '{p}:together' });
    const busy = { policy: 'key', key: 'busy', limit: 100, windowSeconds: 3_600 };
    const other = { policy: 'key', key: 'other', limit: 1_000, windowSeconds: 3_600 };
    const all = await Promise.all(
      Array.from({ length: 400 }, (_, i) => consume(i % 4 === 3 ? [other] : [busy, { ...other, cost: 1 }])),
    );
    const [first, second] = [all.filter((_, i) => i % 4 === 3), all.filter((_, i) => i % 4 !== 3)];
    expect(first.every(({ allowed }) => allowed)).toBe(true);
    expect(second.map(({ allowed }) => allowed)).toEqual([
      ...Array(100).fill(true),
      ...Array(200).fill(false),
    ]);
    // A refused set takes nothing of its other limit.
    expect((await consume([{ ...other, cost: 0 }])).policies[0]?.remaining).toBe(1_000 - 200);
    expect(second.slice(0, 100).map(({ policies }) => policies[0]?.remaining)).toEqual(
      Array.from({ length: 100 }, (_, i) => 99 - i),
    );
    expect(fallbacks).toBe(0);
  });

  test('keys of the rate limiter go away by themselves', async () => {
    await limiter().consume([byKey, { ...byIp, cost: 0 }]);
    const keys = (await server.command('keys', '*')) as string[];
    expect(keys).toEqual(['{gw}:limit:key:key_1']);
    const ttl = Number(await server.command('pttl', keys[0] ?? ''));
    expect(ttl).toBeGreaterThan(10_000);
    expect(ttl).toBeLessThanOrEqual(13_000);
  });

  test('Redis and memory decide alike', async () => {
    const check = fc.record({
      policy: fc.constantFrom('a', 'b', 'c'),
      key: fc.constantFrom('1', '2'),
      limit: fc.integer({ min: 1, max: 12 }),
      windowSeconds: fc.integer({ min: 60, max: 3_600 }),
      cost: fc.constantFrom(0 as const, 1 as const),
    });
    const checks = fc.uniqueArray(check, {
      minLength: 1,
      maxLength: 3,
      selector: ({ policy, key }) => policy + key,
    });
    const steps = fc.array(fc.tuple(fc.integer({ min: -1e6, max: 300e6 }), checks), {
      minLength: 1,
      maxLength: 40,
    });
    let run = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        run += 1;
        let now = 1_700_000_000_000_000;
        const options = { prefix: `{p}:${run}`, nowMicros: () => now };
        const [shared, own] = [limiter(options), limiter({ ...options, redis: nowhere })];
        for (const [gap, set] of script) {
          now += gap;
          const [expected, found] = [await own.consume(set), await shared.consume(set)];
          expect(found).toEqual(expected);
          if (!found.allowed) {
            refused += 1;
          }
        }
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  test('without Redis each process decides by itself, at once, and the switch back comes by itself', async () => {
    const { consume } = limiter();
    await server.kill();
    for (let n = 0; n < 5; n += 1) {
      expect((await consume([byKey])).allowed).toBe(true);
    }
    expect((await consume([byKey])).allowed).toBe(false);
    expect(fallbacks).toBe(6);
    await server.start();
    await eventually(async () => {
      const before = fallbacks;
      await consume([{ ...byKey, key: 'other', limit: 1_000 }]);
      expect(fallbacks).toBe(before);
    });
  });

  test('a frozen Redis costs half a second once, not once a request', async () => {
    const { consume } = limiter();
    await consume([byKey]);
    server.freeze();
    const once = (withinMs: number) => inTime(withinMs, consume([{ ...byKey, limit: 100_000 }]));
    await once(800);
    const until = performance.now() + 3_000;
    const slow: unknown[] = [];
    await eventually(
      async () => {
        await once(200).catch((error: unknown) => slow.push(error));
        expect(performance.now()).toBeGreaterThan(until);
      },
      { everyMs: 10 },
    );
    expect(slow).toEqual([]);
    server.thaw();
  });

  test.each([
    ['has no memory left', ['config', 'set', 'maxmemory', '1']],
    ['refuses writes', ['replicaof', '127.0.0.1', '1']],
    ['holds nonsense of another type', ['hset', '{gw}:limit:key:key_1', 'a', 'b']],
  ])('a Redis that %s is done without', async (_name, [command = '', ...args]) => {
    const { consume } = limiter();
    await server.command(command, ...args);
    for (let n = 0; n < 5; n += 1) {
      expect((await consume([byKey])).allowed).toBe(true);
    }
    expect((await consume([byKey])).allowed).toBe(false);
    expect(fallbacks).toBe(6);
  });

  test('a Redis that started anew and forgot the script is served at once', async () => {
    const { consume } = limiter();
    await consume([byKey]);
    await server.command('script', 'flush');
    await server.command('set', '{gw}:limit:key:key_1', 'nonsense');
    expect(await consume([byKey])).toMatchObject({ allowed: true, policies: [{ remaining: 4 }] });
    expect(fallbacks).toBe(0);
  });
});
