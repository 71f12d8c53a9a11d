import { describe, expect, test } from '@jest/globals';
import { addBuckets, DURATION_BOUNDS_MS, estimatePercentile } from './duration-buckets.js';

const fill = (durations: readonly number[]): number[] =>
  durations.reduce((buckets, ms) => {
    const place = DURATION_BOUNDS_MS.filter((bound) => bound <= ms).length;
    buckets[place] = (buckets[place] ?? 0) + 1;
    return buckets;
  }, addBuckets([]));

describe('percentiles of counted durations', () => {
  test.each([0.5, 0.95])('the share %d of evenly spread durations is estimated within a quarter', (share) => {
    const durations = Array.from({ length: 1_000 }, (_, n) => 1_000 + 30 * n);
    const exact = durations[Math.round(share * 999)] ?? 0;
    const estimate = estimatePercentile(fill(durations), share) ?? 0;
    expect(Math.abs(estimate / exact - 1)).toBeLessThan(0.25);
  });

  test('no durations have no percentile, and those beyond the last bound have that bound', () => {
    expect(estimatePercentile(addBuckets([]), 0.5)).toBeNull();
    expect(estimatePercentile(fill([10_000_000]), 0.5)).toBe(Math.round(DURATION_BOUNDS_MS.at(-1) ?? 0));
  });
});
