import { describe, expect, test } from '@jest/globals';
import { findUnstorable, isMetadata } from './index.js';

const entries = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));

describe('metadata', () => {
  test.each<readonly [string, unknown]>([
    ['no entry', {}],
    ['16 entries', entries(16)],
    ['a key and a value of the greatest length', { [`${'a'.repeat(60)}_.-9`]: '🦊'.repeat(512) }],
    ['an own entry __proto__', JSON.parse('{"__proto__":"x"}')],
  ])('takes %s', (_name, value) => {
    expect(isMetadata(value)).toBe(true);
  });

  test.each<readonly [string, unknown]>([
    ['a text', 'user'],
    ['a list', ['a']],
    ['null', null],
    ['17 entries', entries(17)],
    ['an empty key', { '': 'x' }],
    ['a key of 65 characters', { ['a'.repeat(65)]: 'x' }],
    ['a key with a space', { 'a b': 'x' }],
    ['a key with a line break', { 'a\n': 'x' }],
    ['an empty value', { a: '' }],
    ['a value of 513 characters', { a: '🦊'.repeat(513) }],
    ['a number', { a: 1 }],
    ['null as a value', { a: null }],
    ['a NUL character', { a: 'x\u0000' }],
    ['half of a character', { a: '\ud800' }],
  ])('refuses %s', (_name, value) => {
    expect(isMetadata(value)).toBe(false);
  });
});

test('the first text that PostgreSQL cannot store is found by its path, names included', () => {
  expect(findUnstorable({ name: 'a\u0000' })).toBe('name');
  expect(findUnstorable({ limits: { models: ['a', 'b\ud800'] } })).toBe('limits.models[1]');
  expect(findUnstorable({ limits: { 'a\udc00': 1 } })).toBe('limits');
  expect(findUnstorable({ name: '🦊', list: [1, null, true, 'é'], empty: {} })).toBeNull();
  expect(findUnstorable(undefined)).toBeNull();
});
