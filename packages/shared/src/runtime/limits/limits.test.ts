import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decide, type LimitCheck, toGcraParameters } from './gcra.js';
import { createMemoryLimits } from './memory-limits.js';

const check = (limit: number, windowSeconds: number, more: Partial<LimitCheck> = {}): LimitCheck => ({
  policy: 'p',
  key: 'k',
  limit,
  windowSeconds,
  ...more,
});
const second = 1_000_000;

function limiter(capacity = 100) {
  const memory = createMemoryLimits(capacity);
  const consume = (checks: readonly LimitCheck[], now: number) =>
    memory.decide(
      checks.map(({ policy, key }) => `${policy}:${key}`),
      checks.map(toGcraParameters),
      now,
    );
  return { consume, size: memory.size };
}
const countAllowed = (times: number, consume: () => { allowed: boolean }) =>
  Array.from({ length: times }, consume).filter(({ allowed }) => allowed).length;

describe('rate limits', () => {
  test('a burst is exactly the limit and is back after the window, not sooner, also when the window does not divide evenly', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 1, max: 3_600 }),
        (limit, windowSeconds) => {
          const { consume } = limiter();
          const numbers = toGcraParameters(check(limit, windowSeconds));
          expect(numbers.capacity).toBeGreaterThanOrEqual(windowSeconds * second);
          expect(
            countAllowed(limit + 5, () => consume([check(limit, windowSeconds)], 1_700_000_000 * second)),
          ).toBe(limit);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('however requests are spread, no window sees more than a burst and what came back meanwhile', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 20 * second }), { minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 10 }), (gaps, limit) => {
        const { consume } = limiter();
        let now = 0;
        const allowedAt: number[] = [];
        for (const gap of gaps) {
          now += gap;
          if (consume([check(limit, 60)], now).allowed) {
            allowedAt.push(now);
          }
        }
        for (const start of allowedAt) {
          const inWindow = allowedAt.filter((at) => at >= start && at < start + 60 * second).length;
          expect(inWindow).toBeLessThanOrEqual(2 * limit);
        }
      }),
    );
  });

  test('who waits as long as told is allowed, who waits less is not', () => {
    const { consume } = limiter();
    for (let n = 0; n < 3; n += 1) {
      consume([check(3, 60)], 0);
    }
    const { allowed, retryMicros } = consume([check(3, 60)], 0);
    expect({ allowed, retryMicros }).toEqual({ allowed: false, retryMicros: 20 * second });
    expect(consume([check(3, 60)], retryMicros - 1).allowed).toBe(false);
    expect(consume([check(3, 60)], retryMicros).allowed).toBe(true);
  });

  test('when one limit is used up nothing is taken from the others', () => {
    const { consume } = limiter();
    const both = [check(10, 60, { key: 'a' }), check(1, 60, { key: 'b' })];
    expect(consume(both, 0).allowed).toBe(true);
    for (let n = 0; n < 50; n += 1) {
      expect(consume(both, 0).allowed).toBe(false);
    }
    expect(countAllowed(20, () => consume([check(10, 60, { key: 'a' })], 0))).toBe(9);
  });

  test('looking takes nothing, and says no when one could not be taken', () => {
    const { consume } = limiter();
    const look = check(2, 60, { cost: 0 });
    for (let n = 0; n < 10; n += 1) {
      expect(consume([look], 0)).toMatchObject({ allowed: true, used: [0] });
    }
    expect(countAllowed(5, () => consume([check(2, 60)], 0))).toBe(2);
    expect(consume([look], 0)).toMatchObject({ allowed: false, retryMicros: 30 * second });
  });

  test('a clock that jumps back locks nobody out for longer than the window', () => {
    const { consume } = limiter();
    for (let n = 0; n < 5; n += 1) {
      consume([check(5, 60)], 10_000 * second);
    }
    expect(consume([check(5, 60)], 0).retryMicros).toBe(12 * second);
  });

  test('memory is bounded: the limits that were not used for longest are forgotten', () => {
    const { consume, size } = limiter(10);
    const once = (key: string) => consume([check(1, 60, { key })], 0).allowed;
    expect(once('kept')).toBe(true);
    for (let n = 0; n < 9; n += 1) {
      once(`k${n}`);
    }
    expect(once('kept')).toBe(false);
    for (let n = 0; n < 1_000; n += 1) {
      once(`x${n}`);
    }
    expect(size()).toBe(10);
    expect(once('kept')).toBe(true);
  });

  test('a state that makes no sense is read as the nearest one that does', () => {
    const numbers = toGcraParameters(check(2, 60));
    expect(decide([numbers], [-5]).used).toEqual([30 * second]);
    expect(decide([numbers], [1e15])).toEqual({
      allowed: false,
      retryMicros: 30 * second,
      used: [60 * second],
    });
  });
});
