import { describe, expect, test } from '@jest/globals';
import {
  countDecimals,
  createScale,
  formatMoney,
  roundDollars,
  tickDollars,
  tickSeconds,
  tidyMoney,
} from './figures.js';

describe('money on the pages', () => {
  test.each([
    ['$9.7600', '$9.76'],
    ['$20.0000', '$20.00'],
    ['$0.00', '$0.00'],
    ['$0.0085', '$0.0085'],
    ['$0.0250', '$0.025'],
    ['$0.000001', '$0.000001'],
    ['-$0.0100', '-$0.01'],
    ['+$1.0000', '+$1.00'],
    ['$1234567.5000', '$1,234,567.50'],
    ['any', 'any'],
  ])('has two decimals, and more where an amount needs them: %s is %s', (amount, text) => {
    expect(formatMoney(amount)).toBe(text);
  });

  test('has one number of decimals in a column: that of the amount which needs most', () => {
    const column = ['$9.7600', '$0.0085', '-$12.0000'];
    const decimals = Math.max(...column.map(countDecimals));
    expect(column.map((amount) => formatMoney(amount, decimals))).toEqual([
      '$9.7600',
      '$0.0085',
      '-$12.0000',
    ]);
    expect(['any', 7, null, '$1 or so'].map(countDecimals)).toEqual([0, 0, 0, 0]);
  });

  test('reads the same within a sentence, which it leaves as it is otherwise', () => {
    expect(tidyMoney('It costs $0.0400 of $1000.0000. No. 2.5000 stays.')).toBe(
      'It costs $0.04 of $1,000.00. No. 2.5000 stays.',
    );
  });

  test('is rounded to cents from a dollar on, and to four places below', () => {
    expect([1234.567, -2.5, 0.34, 0.008_512, 0].map(roundDollars)).toEqual([
      '$1,234.57',
      '-$2.50',
      '$0.34',
      '$0.0085',
      '$0.00',
    ]);
  });
});

describe('an axis', () => {
  test.each([
    [0.34, ['$0.00', '$0.10', '$0.20', '$0.30', '$0.40']],
    [0.085, ['$0.000', '$0.025', '$0.050', '$0.075', '$0.100']],
    [0, ['$0.00', '$0.25']],
    [12, ['$0', '$5', '$10', '$15']],
    [9_000, ['$0', '$2,500', '$5,000', '$7,500', '$10,000']],
  ])('has round steps with the same decimals up to %d', (most, texts) => {
    const { ticks, step } = createScale(most);
    expect(ticks.map((tick) => tickDollars(tick, step))).toEqual(texts);
  });

  test('counts in whole steps, and shows milliseconds as seconds', () => {
    expect(createScale(2, true).ticks).toEqual([0, 1, 2]);
    const { ticks, step } = createScale(1_800);
    expect(ticks.map((tick) => tickSeconds(tick, step))).toEqual([
      '0.0 s',
      '0.5 s',
      '1.0 s',
      '1.5 s',
      '2.0 s',
    ]);
  });
});
