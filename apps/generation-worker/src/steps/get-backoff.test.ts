import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { getBackoffMs } from './settle.js';

describe('get backoff', () => {
  test('the wait between tries follows the schedule within a fifth, and repeats its last value', () => {
    const seconds = fc.array(fc.double({ min: 0.001, max: 3_600, noNaN: true }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(
        seconds,
        fc.nat(20),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (schedule, tries, random) => {
          const expected = (schedule[Math.min(tries, schedule.length - 1)] ?? 0) * 1_000;
          const waitMs = getBackoffMs(schedule, tries, () => random);
          expect(waitMs).toBeGreaterThanOrEqual(Math.floor(expected * 0.8));
          expect(waitMs).toBeLessThanOrEqual(Math.ceil(expected * 1.2));
        },
      ),
    );
  });

  test('the wait between tries reaches both ends of its spread', () => {
    expect([getBackoffMs([5, 20], 0, () => 0), getBackoffMs([5, 20], 7, () => 1)]).toEqual([4_000, 24_000]);
  });
});
