import { describe, expect, test } from '@jest/globals';
import { findUnstorable, parseDay, parseInstant } from './index.js';

describe('instants', () => {
  test.each([
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31', '9999-12-31T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0096-02-29', '0096-02-29T00:00:00.000Z'],
    ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31t12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(parseInstant(text)?.toISOString()).toBe(instant);
  });

  test.each([
    '0000-01-01',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-05:00',
    '9999-12-31T23:59:59-23:59',
    '+010000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00.000Z',
    '-000001-01-01',
    '10000-01-01',
    '2027-02-30',
    '2030-04-31T10:00:00Z',
    '2030',
    '2030-01',
    '2030-001',
    '2030-01-31T10:00:00',
    '2030-01-31T10:00Z',
    '2030-01-31T10:00:00+0100',
    '2030-01-31 10:00:00Z',
    ' 2030-01-31',
    '2030-01-31\n',
  ])('%j is none', (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  test('a day is a date without a time', () => {
    expect(parseDay('2024-02-29')?.toISOString()).toBe('2024-02-29T00:00:00.000Z');
    expect(['2025-02-29', '2024-02-29T00:00:00Z', '0000-01-01'].map(parseDay)).toEqual([null, null, null]);
  });
});

test('the first text that PostgreSQL cannot store is found by its path, names included', () => {
  expect(findUnstorable({ name: 'a\u0000' })).toBe('name');
  expect(findUnstorable({ limits: { models: ['a', 'b\ud800'] } })).toBe('limits.models[1]');
  expect(findUnstorable({ limits: { 'a\udc00': 1 } })).toBe('limits');
  expect(findUnstorable({ name: '🦊', list: [1, null, true, 'é'], empty: {} })).toBeNull();
  expect(findUnstorable(undefined)).toBeNull();
});
