import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatDollars, parseDollars, parseDollarsOrZero, parseSignedDollars } from './index.js';

describe('money', () => {
  test.each([
    [0n, '$0.00'],
    [10_000n, '$0.0100'],
    [16_000n, '$0.0160'],
    [32_000n, '$0.0320'],
    [12_340_000n, '$12.3400'],
    [1n, '$0.000001'],
    [10_010n, '$0.01001'],
    [-1_000_000n, '-$1.0000'],
  ])('%s micro-dollars read %s', (micros, text) => {
    expect(formatDollars(micros)).toBe(text);
  });

  test('formatting and parsing are inverse for every positive amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 17n }), (micros) => {
        const text = formatDollars(micros);
        expect(text).toMatch(/^\$\d+\.\d{4,6}$/);
        expect(parseDollars(text.slice(1))).toBe(micros);
      }),
    );
  });

  test.each(['0', '0.00', '-1', '+1', '1.0000001', '1e3', ' 1', '1 ', '', '.5', '1.', 'NaN', '1,00'])(
    '%j is refused as an amount',
    (text) => {
      expect(() => parseDollars(text)).toThrow(RangeError);
    },
  );

  test('an amount that may be zero is zero or a positive amount', () => {
    expect(['0', '0.00', '00', '1.5'].map(parseDollarsOrZero)).toEqual([0n, 0n, 0n, 1_500_000n]);
    for (const text of ['-0', '+0', '0.', '.0', '', '0.0000000', '-1']) {
      expect(() => parseDollarsOrZero(text)).toThrow(RangeError);
    }
  });

  test('signed amounts keep their sign and refuse zero', () => {
    expect([parseSignedDollars('+1.5'), parseSignedDollars('-0.000001'), parseSignedDollars('2')]).toEqual([
      1_500_000n,
      -1n,
      2_000_000n,
    ]);
    expect(() => parseSignedDollars('-0')).toThrow(RangeError);
    expect(() => parseSignedDollars('--1')).toThrow(RangeError);
  });
});
