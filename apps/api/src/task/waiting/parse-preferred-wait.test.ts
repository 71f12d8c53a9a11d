import { expect, test } from '@jest/globals';
import { parsePreferredWait } from './parse-preferred-wait.js';

test.each<[string[], number | null]>([
  [['wait=10'], 10],
  [['WAIT = "55"; x=1'], 55],
  [['respond-async, wait=1'], 1],
  [['respond-async', 'wait=7'], 7],
  [['wait=3, wait=9'], 3],
  [['note="a, wait=5", wait=6'], 6],
  [['note="a, wait=5"'], null],
  [['wait=0'], null],
  [['wait=56'], null],
  [['wait'], null],
  [['wait=ten'], null],
  [['wait=1.5'], null],
  [['await=5'], null],
  [['"'.repeat(30_000)], null],
  [[], null],
])('Prefer %j prefers to wait for %j seconds', (headers, seconds) => {
  expect(parsePreferredWait(headers)).toBe(seconds);
});
