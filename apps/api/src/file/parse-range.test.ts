import { expect, test } from '@jest/globals';
import { parseRange } from './parse-range.js';

test.each([
  ['bytes=0-0', { start: 0, end: 0 }],
  ['bytes=5-', { start: 5, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-99', { start: 0, end: 9 }],
  ['bytes=9-99', { start: 9, end: 9 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=5-2', 'all'],
  ['bytes=-', 'all'],
  ['bytes=a-b', 'all'],
  ['bytes=0-1,3-4', 'all'],
  ['items=0-1', 'all'],
  ['', 'all'],
  [undefined, 'all'],
])('%s of ten bytes', (header, range) => {
  expect(parseRange(header, 10)).toEqual(range);
});
