import { describe, expect, test } from '@jest/globals';
import { readCost } from './read-cost.js';

describe('the cost that an upstream states', () => {
  test.each([
    [0.0336, 33_600n],
    ['0.05', 50_000n],
    ['$1.5', 1_500_000n],
    [' 2 ', 2_000_000n],
    [0, 0n],
    [1e300, BigInt(Number.MAX_SAFE_INTEGER)],
    ['9007199254', 9_007_199_254_000_000n],
    ['0x10', null],
    ['1e3', null],
    ['-5', null],
    [-5, null],
    ['', null],
    ['1,50', null],
    ['free', null],
    [null, null],
    [{ usd: 1 }, null],
    [Number.NaN, null],
  ])('is a decimal, or is not known: %j', (given, micros) => {
    expect(readCost(given, 1_000_000)).toBe(micros);
  });
});
